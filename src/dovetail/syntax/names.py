"""Which names a text uses that it does not bind itself.

A name that the text binds (a parameter, a variable) says nothing about other files, whatever it is called there.
Which nodes bind is a table of query patterns; a grammar that does not know a pattern is not asked for it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dovetail.syntax import kinds
from dovetail.syntax.queries import captures, matched

if TYPE_CHECKING:
    from dovetail.syntax.parsing import Source

_BINDING = (
    "(assignment left: (identifier) @bound)",
    "(assignment left: (pattern_list (identifier) @bound))",
    "(for_statement left: (identifier) @bound)",
    "(for_in_clause left: (identifier) @bound)",
    "(for_in_statement left: (identifier) @bound)",
    "(parameters (identifier) @bound)",
    "(lambda_parameters (identifier) @bound)",
    "(typed_parameter (identifier) @bound)",
    "(default_parameter name: (identifier) @bound)",
    "(typed_default_parameter name: (identifier) @bound)",
    "(keyword_argument name: (identifier) @bound)",
    "(as_pattern_target (identifier) @bound)",
    "(formal_parameters (identifier) @bound)",
    "(formal_parameter name: (identifier) @bound)",
    "(required_parameter pattern: (identifier) @bound)",
    "(optional_parameter pattern: (identifier) @bound)",
    "(arrow_function parameter: (identifier) @bound)",
    "(variable_declarator name: (identifier) @bound)",
    "(shorthand_property_identifier_pattern) @bound",
    "(parameter pattern: (identifier) @bound)",
    "(let_declaration pattern: (identifier) @bound)",
    "(closure_parameters (identifier) @bound)",
    "(parameter_declaration name: (identifier) @bound)",
    "(parameter_declaration declarator: (identifier) @bound)",
    "(parameter_declaration declarator: (_ declarator: (identifier) @bound))",
    "(init_declarator declarator: (identifier) @bound)",
    "(declaration declarator: (identifier) @bound)",
    "(short_var_declaration left: (expression_list (identifier) @bound))",
    "(range_clause left: (expression_list (identifier) @bound))",
    "(method_parameters (identifier) @bound)",
    "(block_parameters (identifier) @bound)",
    "(simple_parameter name: (variable_name (name) @bound))",
    "(parameter name: (identifier) @bound)",
    "(variable_assignment name: (variable_name) @bound)",
)


def names(source: Source) -> Counter[str]:
    """How often each name stands in the text, names left out that it binds as variables or parameters."""
    bound = {source.slice(node) for node in matched(source, _BINDING).get("bound", ())}
    data = source.data
    found = Counter(
        data[node.start_byte : node.end_byte]
        for node in captures(source, _capture_of).get("name", ())
        if node.child_count == 0
    )
    used = ((name.decode("utf-8", "replace"), count) for name, count in found.items())
    return Counter({name: count for name, count in used if name not in bound})


def _capture_of(_language: str, node_type: str) -> str | None:
    return "name" if kinds.NAME_LEAF.search(node_type) is not None else None
