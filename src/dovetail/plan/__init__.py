"""Turns blocks and a snapshot into a plan: a result for each block, and each file's text before and after.

Pure: reads no file and writes none. The preview is the plan.
"""

from dovetail.place.choose import wanted_paths
from dovetail.plan.commands import COMMAND_FORMAT, with_commands
from dovetail.plan.planner import plan
from dovetail.plan.shown import listing_for, with_listings

__all__ = ["COMMAND_FORMAT", "listing_for", "plan", "wanted_paths", "with_commands", "with_listings"]
