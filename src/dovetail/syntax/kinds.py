"""Which nodes of a tree are named definitions: a table of node types, as data.

Grammars agree on most names, so one table serves all of them; what a type means in one language only stands under
that language. A grammar that lacks a type is not asked for it.
"""

from __future__ import annotations

import re
from functools import cache

FUNCTION, CLASS, OTHER = "function", "class", "other"
WRAPPER = "wrapper"  # a part of the one definition inside it: `export`, decorators, `template<…>`
PREFIX = "prefix"  # belongs to the definition that follows: attributes
VALUE = "value"  # a definition only where its value is a function or a class
PROTOTYPE = "prototype"  # a definition only where it declares a function, outside of functions
MAPPING = "mapping"  # a definition only where its value holds several lines of its own
TOLD = "told"  # a definition only where `FIRST_WORDS` match its text, outside of functions


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON: dict[str, str] = {
    FUNCTION: """function_definition function_declaration function_item function_signature_item function_signature
        generator_function_declaration method_definition method_declaration method_signature abstract_method_signature
        method_elem constructor_declaration compact_constructor_declaration destructor_declaration
        local_function_statement function_statement class_method_definition macro_definition preproc_function_def
        function_definition_without_sub function_def macro_def init_declaration protocol_function_declaration
        modifier_definition""",
    CLASS: """class_definition class_declaration abstract_class_declaration class_specifier struct_specifier
        union_specifier enum_specifier struct_item enum_item union_item trait_item impl_item interface_declaration
        annotation_type_declaration enum_declaration record_declaration struct_declaration trait_declaration
        object_declaration object_definition trait_definition enum_definition protocol_declaration struct_definition
        class_statement enum_statement contract_declaration library_declaration mixin_declaration
        extension_declaration class_interface class_implementation""",
    OTHER: """namespace_definition namespace_declaration file_scoped_namespace_declaration internal_module mod_item
        type_item type_alias_declaration alias_declaration const_item static_item concept_definition
        typealias_declaration module_definition object_type_definition interface_type_definition enum_type_definition
        input_object_type_definition fragment_definition operation_definition create_table create_function""",
    WRAPPER: """decorated_definition export_statement template_declaration ambient_declaration lexical_declaration
        variable_declaration type_declaration""",
    PREFIX: "attribute_item decorator",
    VALUE: "variable_declarator field_definition public_field_definition assignment_expression",
}

_BY_LANGUAGE: dict[str, dict[str, str]] = {
    "c": {PROTOTYPE: "declaration", OTHER: "type_definition"},
    "cpp": {PROTOTYPE: "declaration field_declaration", OTHER: "type_definition"},
    "css": {OTHER: "rule_set keyframes_statement"},
    "dart": {
        WRAPPER: "method_signature",
        PREFIX: "annotation",
        FUNCTION: "getter_signature setter_signature constructor_signature factory_constructor_signature",
    },
    "elixir": {TOLD: "call"},
    "go": {OTHER: "type_spec type_alias const_spec", WRAPPER: "const_declaration"},
    "haskell": {CLASS: "data_type newtype class instance type_synomym", TOLD: "function bind"},
    "hcl": {OTHER: "block"},
    "javascript": {VALUE: "pair", WRAPPER: "expression_statement"},
    "json": {MAPPING: "pair"},
    "jsonc": {MAPPING: "pair"},
    "julia": {TOLD: "function_definition macro_definition struct_definition abstract_definition assignment"},
    "lua": {TOLD: "assignment_statement variable_declaration"},
    "markdown": {OTHER: "section"},
    "ocaml": {TOLD: "value_definition module_definition type_definition"},
    "ruby": {FUNCTION: "method singleton_method", CLASS: "class module"},
    "sql": {OTHER: "create_view create_materialized_view create_trigger create_type"},
    "toml": {OTHER: "table table_array_element"},
    "tsx": {VALUE: "pair", WRAPPER: "expression_statement"},
    "typescript": {VALUE: "pair", WRAPPER: "expression_statement"},
    "yaml": {MAPPING: "block_mapping_pair"},
    "zig": {TOLD: "variable_declaration test_declaration"},
}

FIRST_WORDS = {
    # `def f(x) do`, `defmodule A.B do`
    "elixir": re.compile(
        r"(?:(?P<class>defmodule|defprotocol|defimpl)|def(?:p|macrop?|guardp?|delegate)?)\s+(?P<name>[\w.]+[?!]?)"
    ),
    # `f x = 1`, `f = 2`, `f x | x > 0 = 1`; not `f :: Int -> Int`, which is its type
    "haskell": re.compile(r"(?P<name>[a-z_][\w']*)(?=\s*[=|]|\s+[\w'\"(\[{~!@])(?![^=|]*(?:->|::))"),
    # `function f(x)`, `mutable struct A`, `f(x) = 1`
    "julia": re.compile(
        r"(?:function|macro)\s+(?P<name>[\w.]+!?)|(?P<class>(?:mutable\s+)?struct|abstract\s+type)\s+(?P<type>\w+)"
        r"|(?P<short>[\w.]+!?)\([^=]*\)[^=]*=(?!=)"
    ),
    "lua": re.compile(r"(?:local\s+)?(?P<name>[\w.:]+)\s*=\s*function\b"),
    # `let rec f x = …`, `module type S = …`, `type 'a t = …`
    "ocaml": re.compile(
        r"(?:let|and)\s+(?:rec\s+)?(?P<name>[\w']+)|(?P<class>module(?:\s+type)?|type)\s+(?:'\w+\s+)?(?P<type>\w+)"
    ),
    # `pub const A = struct {`, `test "name"`; not `const a = 1`
    "zig": re.compile(
        r"(?:pub\s+)?const\s+(?P<type>\w+)\s*=\s*(?P<class>(?:(?:extern|packed)\s+)?(?:struct|enum|union|opaque)\b)"
        r"|test\s+\"(?P<name>[^\"]+)\""
    ),
}
"""Patterns for the text of `TOLD` nodes, by language. A node is a class if the group `class` matched."""

FUNCTION_VALUES = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "function_definition"}
)
CLASS_VALUES = frozenset({"class", "class_expression"})
CLASS_SHAPES = frozenset({"struct_type", "interface_type"})
MAPPING_VALUES = frozenset({"object", "array", "block_node", "flow_mapping"})
NEED_BODY = frozenset({"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"})
DECLARES_FUNCTION = frozenset({"function_declarator"})
HOLDS_VALUE = ("value", "right", "rhs")

NAME_FIELDS = ("name", "declarator", "key", "left", "lhs", "type", "heading_content", "clause")
INNER_NAME_FIELDS = ("name", "declarator", "type", "heading_content")
"""Fields that lead from a definition to its name, and on from there, in the order in which they are tried."""

NAME_TYPES = _words(
    """identifier simple_identifier type_identifier field_identifier property_identifier constant word name
    bare_key dotted_key quoted_key selectors keyframes_name section_name title1 atx_heading setext_heading
    message_name enum_name service_name rpc_name function_name simple_name function_command macro_command title
    object_reference namespace_identifier"""
)
"""Types of children that are a definition's name where no field tells."""

DOTTED_TYPES = _words(
    """qualified_identifier scoped_identifier scoped_type_identifier nested_namespace_specifier scope_resolution
    dot_index_expression method_index_expression member_expression qualified_name"""
)
"""Types of names that contain those of their owners, such as `A::f`."""

PATTERN_TYPES = frozenset({"object_pattern", "array_pattern", "tuple_pattern", "subscript_expression"})
"""Types that can stand in the place of a name and are none."""

NAMING_KEYWORDS = frozenset({"init", "deinit", "constructor"})
"""Keywords that are names themselves."""

QUOTES = {"section_name": "[]"}
"""Characters that are stripped from a name's ends, by its node type; quotes for all other types."""

NAMED_BY_HEADER = frozenset({"block", "keyframes_statement", "mixin_statement"})
"""Types of definitions that are named by all of the text before their body."""

BODY_TYPES = _words(
    """block body_statement class_body enum_body interface_body declaration_list field_declaration_list statement_block
    compound_statement enum_body_declarations message_body enum_variant_list enumerator_list object_type
    keyframe_block_list do_block function_body body"""
)
"""Types of children that are a definition's body where no field tells."""

OPENINGS = frozenset({"{", "(", "[", "do", "begin"})
"""Tokens that open a body and stand on its header's last line or behind it."""


LIST_TYPES = BODY_TYPES | _words(
    "block_node block_mapping block_sequence document program stream statements element_list"
)
"""Types of nodes that hold a list of others; they have no header unless they begin with one of `OPENINGS`."""

IN_HEADER = re.compile(
    r"param|argument|parenthesized|condition|start_tag|opening_element|superclass|heritage|selectors"
)
"""Types of nodes that belong to the header of the node that begins on the same line."""

NAME_LEAF = re.compile(r"(^|_)(identifier|constant|word)$|^(name|tag_name|class_name|variable_name|simple_symbol)$")
"""Types of leaves that name something; those of a definition's own name included."""


@cache
def _definition_types(language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for table in (_COMMON, _BY_LANGUAGE.get(language, {})):
        for capture, types in table.items():
            found.update(dict.fromkeys(types.split(), capture))
    return found


def capture_of(language: str, node_type: str) -> str | None:
    """Return what a node type may be in a language, one of the constants above, or None if it defines nothing."""
    return _definition_types(language).get(node_type)
