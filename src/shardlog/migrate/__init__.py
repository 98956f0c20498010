"""From GSPMD to Shardy: what differs on one program, why, and what mends it."""

from shardlog.migrate.answer import Group, Migration, compare, migrate, page
from shardlog.migrate.kinds import TITLES, Kind

__all__ = ["TITLES", "Group", "Kind", "Migration", "compare", "migrate", "page"]
