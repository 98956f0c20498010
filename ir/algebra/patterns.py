"""Names by pattern: `*` for any characters, `?` for one."""

from __future__ import annotations

__all__ = ["exactness", "matches"]

_EXACT = 1 << 16


def matches(name: str, pattern: str) -> bool:
    """Whether a name is what a pattern stands for: `*` is any characters, `?` is one."""
    # one step back to the last `*` is enough; a regular expression could take for ever
    at = to = 0
    star, resume = -1, 0
    while at < len(name):
        if to < len(pattern) and pattern[to] == "*":
            star, resume = to, at
            to += 1
        elif to < len(pattern) and pattern[to] in ("?", name[at]):
            at += 1
            to += 1
        elif star >= 0:
            resume += 1
            at, to = resume, star + 1
        else:
            return False
    return not pattern[to:].strip("*")


def exactness(pattern: str) -> int:
    """How much of a name a pattern gives: more for each character, most for a whole name."""
    literal = sum(character not in "*?" for character in pattern)
    return literal + _EXACT * (literal == len(pattern))
