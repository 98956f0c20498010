"""The answer to a question: rows of values, as a table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Answer"]

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Answer:
    """Values of the variables of a question, in the order in which it names them, sorted.

    A question without variables has one empty row if it holds, else none. `count` counts all rows,
    of which `rows` holds as many as were asked for.
    """

    question: str
    variables: tuple[str, ...]
    rows: tuple[Row, ...]
    count: int

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        return self.to_text()

    def shown(self, change: Callable[[str], str]) -> Answer:
        """Return the answer with its texts changed."""
        rows = (tuple([change(v) if isinstance(v, str) else v for v in row]) for row in self.rows)
        return replace(self, rows=tuple(rows))

    def column(self, variable: str) -> list[Any]:
        """Return the values of one variable. Raises KeyError if there is no such variable."""
        if variable not in self.variables:
            raise KeyError(variable)
        place = self.variables.index(variable)
        return [row[place] for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "question": self.question,
            "variables": list(self.variables),
            "rows": [list(row) for row in self.rows],
            "count": self.count,
        }

    def to_json(self) -> str:
        """Return the answer as JSON, a row a line."""
        head = {"question": self.question, "variables": list(self.variables), "count": self.count}
        rows = ",\n".join(f"  {json.dumps(list(row))}" for row in self.rows)
        fields = "".join(
            f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()
        )
        inside = f"\n{rows}\n " if rows else ""
        return f'{{\n{fields} "rows": [{inside}]\n}}'

    def to_csv(self) -> str:
        """Return the answer as CSV, the variables' names first."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.variables)
        writer.writerows(self.rows)
        return out.getvalue()

    def to_text(self) -> str:
        """Return the answer as a table, and how many rows there are."""
        if not self.variables:
            return "yes" if self.count else "no"
        lines = [*self.table_lines()] if self.rows else []
        return "\n".join([*lines, self.closing])

    @property
    def closing(self) -> str:
        """How many rows there are, and are shown."""
        rows = f"{self.count:,} row" + ("" if self.count == 1 else "s")
        hidden = self.count - len(self.rows)
        return rows + (f", {hidden:,} of them not shown (--limit)" if hidden else "")

    def table_lines(self) -> list[str]:
        """The head and the rows, in columns: numbers to the right, texts to the left."""
        cells = [[str(value) for value in row] for row in self.rows]
        table = [list(self.variables), *cells]
        widths = [max(len(row[n]) for row in table) for n in range(len(self.variables))]
        right = [_is_number([row[n] for row in self.rows]) for n in range(len(self.variables))]
        return [
            "  ".join(
                f"{cell:>{width}}" if to_right else f"{cell:<{width}}"
                for cell, width, to_right in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in table
        ]


def _is_number(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) for value in values)
