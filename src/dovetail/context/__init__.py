"""What a model sees of a user's files: excerpts, the repository map, files within a token budget.

This package calls no model and reads no user's file: paths and texts are arguments. The map's cache is the only thing
that it keeps on disk, in a folder that the caller names. No budget is ever exceeded, whatever counts the tokens.
"""

from dovetail.context.files import FILE_LIMIT, Counter, FileView, estimate, excerpt, lines_about, show_file
from dovetail.context.ranking import Interest, interest_in
from dovetail.context.repository_map import MapView, RepositoryMap
from dovetail.context.tree_context import Enclosing, TreeContext, enclosing

__all__ = [
    "FILE_LIMIT",
    "Counter",
    "Enclosing",
    "FileView",
    "Interest",
    "MapView",
    "RepositoryMap",
    "TreeContext",
    "enclosing",
    "estimate",
    "excerpt",
    "interest_in",
    "lines_about",
    "show_file",
]
