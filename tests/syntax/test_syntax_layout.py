"""What a formatter may write otherwise; a token that it may add or drop is written with a question mark behind it."""

import pytest

from dovetail.syntax import default_language

SPARE = {
    "arrow.ts": ("f((a) => a, async (b) => b)", "f ( (? a )? => a , async (? b )? => b )"),
    "arrow_of_type.ts": ("x = <T>(a) => a\n", "x = < T > ( a ) => a"),
    "arrow_of_two.js": ("f((a, b) => a)", "f ( ( a , b ) => a )"),
    "at_line_end.js": ("a();\nb = 1;\nc\n", "a ( ) ;? b = 1 ;? c"),
    "before_bracket.js": ("a();\n(b)();\n[c] = d;\n`e`", "a ( ) ; ( b ) ( ) ; [ c ] = d ; `e`"),
    "on_one_line.js": ("a(); b()\n", "a ( ) ; b ( )"),
    "of_nothing.js": (
        "if (a);\nb()\nwhile (c);\nd()\nfor await (e);\nf()\n",
        "if ( a ) ; b ( ) while ( c ) ; d ( ) for await ( e ) ; f ( )",
    ),
    "in_head.js": ("for (a = 1;\nb;\nc) {}", "for ( a = 1 ; b ; c ) { }"),
    "keyword.js": ("async;\nfunction f() {}\n", "async ; function f ( ) { }"),
    "block.js": ("f = () => { return a; }", "f = ( ) => { return a ;? }"),
    "left.js": ("return\na;\nreturn;\nb = x.return\nc", "return; a ;? return; ;? b = x . return c"),
    "markup.tsx": ("a = b && (\n<A />\n);\n", "a = b && (? < A /> )? ;?"),
    "value.js": (
        "a = (b || c);\nd = (e) * f;\nreturn (\n g\n);\n",
        "a = (? b || c )? ;? d = ( e ) * f ;? return (? g )? ;?",
    ),
    "list.js": ("f((a, b), (c));\ng = () => ({});\n", "f ( ( a , b ) , (? c )? ) ;? g = ( ) => ( { } ) ;?"),
    "holes.js": ("a = [b,\n];\nc = [,\n];\nd = [e,,\n];\n", "a = [ b ,? ] ;? c = [ , ] ;? d = [ e , , ] ;?"),
    "bars.ts": ("type A =\n | B\n | C;\nd = e | f;\n", "type A = |? B | C ;? d = e | f ;?"),
    "numbers.js": ("a = .50 + 0XFF + 5. + 1E+5", "a = 0.5 + 0xff + 5 + 1e5"),
    "keys.js": ("a = {'b': 'c', 'd-e': f ? 'g' : h}", 'a = { b : "c" , "d-e" : f ? "g" : h }'),
    "quotes.js": (r"a = 'it\'s' + 'a\nb' + '\\'", r'a = "it' + "'" + r's" + "a\nb" + "\\"'),
    "text.tsx": ("<a>\n one  two\n  three <b/></a>", "< a > one  two three  < b /> </ a >"),
    "entity.tsx": ("<a>one\n&nbsp;</a>", "< a > one &nbsp; </ a >"),
    "last.css": ("a { b: c; d: e; }", "a { b : c ; d : e ;? }"),
    "last.rs": ("fn f() { a(); b(); }", "fn f ( ) { a ( ) ; b ( ) ; }"),
    "condition.py": ("if (a\n and b):\n  c\n", "if (? a and b )? : c"),
    "return.py": ("return (a, b)\nc = (\n d\n)\ne\n", "return (? a , b )? c = (? d )? e"),
    "member.py": ("a = b in (c or d)\nfor e in (f):\n  g\n", "a = b in ( c or d ) for e in (? f )? : g"),
    "generator.py": (
        "a = [(b for b in c)]\nd = [(e), (f, g)]\n",
        "a = [ ( b for b in c ) ] d = [ (? e )? , ( f , g ) ]",
    ),
    "tuple.py": ("a = (b,\n)\nc = d[e,\n]\nf = g(h,\n)\n", "a = (? b , )? c = d [ e , ] f = g ( h ,? )"),
    "import.py": ("from a import (\n b,\n)\nc\n", "from a import (? b ,? )? c"),
    "assert.py": ("assert (a, b)\nassert c, (\n d\n)\ne\n", "assert ( a , b ) assert c , (? d )? e"),
    "class.py": ("class A():\n  b()\n", "class A (? )? : b ( )"),
    "kept.py": ("a = not (b or c)\nd = (e or f).g\nh\n", "a = not ( b or c ) d = ( e or f ) . g h"),
    "joint.py": ("a = b + \\\n c\n", "a = b + \\? c"),
    "strings.py": ("a = u'b' + R'\\'' + F'{c}' + 0XFF\n", 'a = "b" + r"\\\'" + f" { c } " + 0xff'),
    "letters.c": ("a = 'b';\n", "a = 'b' ;"),
}


@pytest.mark.parametrize("path", SPARE)
def test_what_a_formatter_may_write_otherwise(path: str) -> None:
    text, expected = SPARE[path]
    found = default_language().tokens(path, text)
    assert found is not None
    assert " ".join(token.said.strip("\n") + "?" * token.spare for token in found) == expected
