"""Compares compiler and interpreter on many generated rule sets: `python -m tests.fuzz_rules`.

The tests do the same on a few. A failure shows the smallest rule set and graph found.
"""

from __future__ import annotations

import argparse

from hypothesis import HealthCheck, Phase, given, seed, settings

from shardlog.engine import Facts
from tests.engine.generated import graphs, rule_sets
from tests.engine.running import agree, load
from tests.engine.vocabulary import LIBRARY


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="rule sets to try")
    parser.add_argument("--seed", type=int, default=0, help="other numbers give other rule sets")
    options = parser.parse_args()
    records = 0

    @seed(options.seed)
    @settings(
        max_examples=options.count,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(rule_sets(), graphs())
    def compare(text: str, facts: Facts) -> None:
        nonlocal records
        records += len(agree(load(text, LIBRARY, facts), facts).records)

    compare()
    print(f"{options.count} rule sets, {records} accepted joins: compiler and interpreter agree")


if __name__ == "__main__":
    main()
