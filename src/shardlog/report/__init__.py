"""A report about a run: one HTML file with the graph, the proofs and what is likely to hurt."""

from shardlog.report.page import report_html

__all__ = ["report_html"]
