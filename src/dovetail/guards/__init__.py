"""Checks the result of an edit: small modules of guards, and one table of them."""

from dovetail.guards.finding import Echo, Finding
from dovetail.guards.impact import Impact, Region, edited_region, whole_regions
from dovetail.guards.table import GUARDS, Guard, all_guards

__all__ = ["GUARDS", "Echo", "Finding", "Guard", "Impact", "Region", "all_guards", "edited_region", "whole_regions"]
