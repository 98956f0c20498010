"""Every message of the checker, in whatever file it is written, stands in a golden file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKERS = [
    *(ROOT / "engine" / f"{name}.py" for name in ("parser", "limits", "declarations")),
    *(ROOT / "engine" / f"check{name}.py" for name in ("", "_modes", "_whole")),
    *(ROOT / "src" / "shardlog" / f"{name}.py" for name in ("user_rules", "rule_checks")),
    *(ROOT / "src" / "shardlog" / f"{name}.py" for name in ("rule_descriptions", "rule_types")),
]
GOLDEN = [*(ROOT / "tests").glob("*/messages/*.txt")]
PROSE = re.compile(r"[a-z]+ [a-z`]+")
ELSEWHERE = {
    # of a run, and tested in test_rule_runaways.py
    r"division by zero",
    r"arithmetic is for numbers, not for .*",
    # names of kinds, in rule_types.py
    "dimension map",
    "named dimensions",
    "list of dimensions",
    "list of shapes",
    # of large files, in test_rule_safety.py
    r"a rule file has at most .* characters, found .*",
    r"a statement has at most .* names, values and signs",
    r"a rule file has at most .* statements",
    # of how a module fits, in test_user_rules.py
    r"does not fit .*\(.*, .*\): .*",
}


def said(path: Path) -> Iterator[str]:
    """The texts of a file that are messages, as regular expressions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = re.escape(node.value)
        elif isinstance(node, ast.JoinedStr):
            found = "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*"
                for part in node.values
            )
        else:
            continue
        plain = found.replace("\\ ", " ")
        if PROSE.search(plain) and not plain.startswith((r"\^", r"\(")):
            yield plain


def test_every_message_has_a_golden_file() -> None:
    shown = "\n".join(path.read_text(encoding="utf-8") for path in GOLDEN)
    missing = [
        f"{path.name}: {message}"
        for path in CHECKERS
        if path.exists()
        for message in said(path)
        if message not in ELSEWHERE and not re.search(message, shown)
    ]
    assert missing == []
