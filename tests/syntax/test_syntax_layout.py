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
    "numbers.css": ("a { b: .50em -1.0 1.5%; }", "a { b : 0.5 em -1 1.5 % ;? }"),
    "colours.css": ("#FAB { a: #FAB, #00FF00; }", "# FAB { a : # fab , # 00ff00 ;? }"),
    "selector.css": ("[a=b], [c^='d'] { e: f }", '[ a = "b" ] , [ c ^= "d" ] { e : f }'),
    "commands.sh": ("a; b c;\nd\n", "a ;? ; b c ;? ; d"),
    "on_lines.sh": ("a\nb c\nd\n", "a ; b c ; d"),
    "block.sh": (
        "if a; then\n  b && \\\n  c\nfi\n",
        "if a ;? ; then b && \\? c ; fi",
    ),
    "function.sh": ("a()\n{\n  b; }\nc() { b\n}\n", "a ( ) { b ;? ; } ; c ( ) { b ; }"),
    "case.sh": ("case a in\n  b)\n    c;;\n  d) e ;;\nesac\n", "case a in b ) c ;; d ) e ;; esac"),
    "list.sh": ("a=(b\n c)\n", "a = ( b c )"),
    "lists.php": ("<?php $a = array('b', array()); f([]);", '<?php $ a = ? [ "b" , ? [ ] ] ; f ( [ ] ) ;'),
    "no_list.php": (
        "<?php function f(array $a) { return (array) $a; }",
        "<?php function f ( array $ a ) { return ( array ) $ a ; }",
    ),
    "either.php": ("<?php $a = '' . 'b' . \"'\" . '\\n';", '<?php $ a = "" . "b" . "\'" . \'\\n\' ;'),
    "quotes.yaml": ("a: '{{ b }}'\nc: 'd''e'\n", "a : \"{{ b }}\" c : 'd''e'"),
    "broken.yaml": ("a: 'b\n  c'\nd: e\n  f\ng: 'h\n\n  i'\n", 'a : "b c" d : e f g : "h\n\n  i"'),
    "block.yaml": ("a: |\n    b\n      c\n", "a : |\nb\n  c"),
    "tags.html": ("<!DOCTYPE html><br/><p/>", "<! doctype html > < br > < p />"),
    "texts.html": ("<p>a\n b</p><pre>a\n b</pre>", "< p > a b </ p > < pre > a\n b </ pre >"),
    "attributes.html": ("<a b=c d='e' f='g h\n i'>", '< a b = c d = "? e "? f = " g h i " >'),
    "script.html": ("<script>a();\nb\n</script>", "< script > a ( ) ;? b </ script >"),
    "data.html": (
        "<script type='text/template'>a();\nb</script>",
        '< script type = "? text/template "? > a();\nb </ script >',
    ),
    "cut.vue": ("a: 'b',\n}\n</script>\n<style>\nc {\n d: .5\n}\n", 'a : "b" , } </ script > < style > c { d : 0.5 }'),
    "inside.vue": ("a: 'b',\nc() {\n", 'a : "b" , c ( ) {'),
    "style.svelte": (".a {\n  b: .5;\n}\n", ". a { b : 0.5 ;? }"),
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
