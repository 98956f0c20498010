"""Compares shardlog with XLA's own pass on generated modules; `python -m tests.fuzz --help`.

`builder` is the frame that modules are generated in, `ops/` holds what emits instructions, `modes`
what a module is run with. `oracle` runs both sides, `shrink` makes a module with a difference
small, `report` says what was covered.

To add emitters, put a file into `ops/` with functions `def NAME(b: Builder) -> None` under
`@emitter(weight)`; every file there is found. What concerns a whole module (its header, the options
of the run) goes into `modes`.
"""
