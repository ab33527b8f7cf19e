"""What a model is shown of somebody's files: excerpts, the repository's map, files in a token budget.

It calls no model. Paths and texts come as arguments, from whoever may read files; the only thing kept on disk is the
map's cache, in a folder that the caller names. Budgets are never exceeded, whatever counts the tokens.
"""

from dovetail.context.enclosing import Enclosing, enclosing
from dovetail.context.excerpt import excerpt
from dovetail.context.files import FILE_LIMIT, FileView, show_file
from dovetail.context.mentions import interest_in
from dovetail.context.ranking import Interest
from dovetail.context.repository_map import MapView, RepositoryMap
from dovetail.context.tokens import Counter, estimate, vocabulary
from dovetail.context.tree_context import TreeContext

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
    "show_file",
    "vocabulary",
]
