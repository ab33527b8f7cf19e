"""Each tier with the places it finds, the places it must not find, and what it writes there."""

from __future__ import annotations

import pytest

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Code, Occurrence, Tier
from dovetail.model.diagnostics import Difference
from dovetail.model.text import apply_edits
from dovetail.text.folding import with_entities_of


def land(file: str, search: str, replace: str, **options: object) -> tuple[str, Tier]:
    """The file after the edit, and the tier at which it landed."""
    outcome = locate(Document(file), Needle(search, replace, **options))  # type: ignore[arg-type]
    assert isinstance(outcome, Match), outcome
    return apply_edits(file, outcome.edits), outcome.tier


LOAD = (
    "def load(path):\n    handle = open(path)\n    rows = handle.read(given)\n    check(rows, path)\n    keep(rows)\n"
)

LANDS = {
    "exact: one line": ("a\nb\nc\n", "b\n", "B\n", "a\nB\nc\n", Tier.EXACT),
    "exact: CRLF stays": ("a\r\nb\r\nc\r\n", "b\n", "B\nD\n", "a\r\nB\r\nD\r\nc\r\n", Tier.EXACT),
    "exact: each line its own end": ("a\r\nb\nc\n", "a\nb\n", "a\nB\n", "a\r\nB\nc\n", Tier.EXACT),
    "exact: kept lines keep their ends": ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nb\nc\n", "a\r\nx\r\nb\nc\r\n", Tier.EXACT),
    "exact: last newline stays missing": ("a\nb", "b\n", "B\n", "a\nB", Tier.EXACT),
    "exact: inserted behind a last line without end": ("a\nb", "b\n", "b\nc\n", "a\nb\nc", Tier.EXACT),
    "exact: the line above a deleted last line stays without end": ("a\nb\nc", "a\nb\nc\n", "a\n", "a", Tier.EXACT),
    "exact: no byte above the search goes": ("a\nb", "b\n", "", "a\n", Tier.EXACT),
    "exact: CRLF file whose last line has no end": ("a\r\nb", "b\n", "b\nc\n", "a\r\nb\r\nc", Tier.EXACT),
    "exact: every line deleted": ("only = 1\n", "only = 1\n", "", "", Tier.EXACT),
    "exact: old Mac line ends": ("a\rb\rc\r", "b\n", "B\nD\n", "a\rB\rD\rc\r", Tier.EXACT),
    "exact: form feed is content": ("a\n\f\nb\n", "a\n\f\nb\n", "a\n\f\nc\n", "a\n\f\nc\n", Tier.EXACT),
    "exact: a line separator is content": ("s\u2028t\nu\n", "s\u2028t\n", "S\u2028t\n", "S\u2028t\nu\n", Tier.EXACT),
    "exact: dollars and backslashes are text": ("p\n", "p\n", "$& \\1 \\g<0>\n", "$& \\1 \\g<0>\n", Tier.EXACT),
    "exact: one blank line more above": ("a\n\nb\nc\n", "\nb\n", "\n\nb\n", "a\n\n\nb\nc\n", Tier.EXACT),
    "exact: one blank line more below": ("a\nb\n\nc\n", "b\n\n", "b\n\n\n", "a\nb\n\n\nc\n", Tier.EXACT),
    "exact: blanks taken off a blank line": (
        "def f():\n    a = 1\n    \n    return a\n", "    a = 1\n    \n    return a\n", "    a = 1\n\n    return a\n",
        "def f():\n    a = 1\n\n    return a\n", Tier.EXACT,
    ),
    "trailing-space: blanks taken off a line's end, and quoted at another's": (
        "a = 1 \nb = 2\n", "a = 1 \nb = 2 \n", "a = 1\nb = 2 \n", "a = 1\nb = 2\n", Tier.TRAILING_SPACE,
    ),
    "exact: a brace behind another one that is deeper": (
        "for (a)\n    if (b) {\n        go();\n    }\n\nreturn 1;\n", "\nreturn 1;\n", "}\n\nreturn 1;\n",
        "for (a)\n    if (b) {\n        go();\n    }\n}\n\nreturn 1;\n", Tier.EXACT,
    ),
    "whitespace: a brace behind another one that is deeper": (
        "for (a)\n    if (b) {\n        go();\n    }\n\nreturn  1;\n", "\nreturn 1;\n", "}\n\nreturn 1;\n",
        "for (a)\n    if (b) {\n        go();\n    }\n}\n\nreturn  1;\n", Tier.WHITESPACE,
    ),
    "exact: not inside a longer line": ("max = 1\nx = 1\n", "x = 1\n", "x = 2\n", "max = 1\nx = 2\n", Tier.EXACT),
    "part-line: an argument": ("run(first, 2)\n", "first, 2\n", "second\n", "run(second)\n", Tier.PART_LINE),
    "part-line: at a line's start, whatever its indentation": (
        'if go:\n    main() or stop()\n', '        main()\n', '        run()\n', 'if go:\n    run() or stop()\n', Tier.PART_LINE,
    ),
    "whitespace: a blank line between lines that are rewritten one for one": (
        "a = 1\n\nb = 2\n", "a = 1\nb = 2\n", "a = 3\nb = 4\n", "a = 3\n\nb = 4\n", Tier.WHITESPACE,
    ),
    "indentation: new lines count as the search does, though the file has their depth too": (
        "for i in x {\n\t\ttotal += size\n\t}\n", "\ttotal += size\n}\n", "\ttotal += weight\n", "for i in x {\n\t\ttotal += weight\n", Tier.INDENTATION,
    ),
    "indentation: a whole line, though others hold its text": (
        "def main():\n    pass\n\nif go:\n    main()\n", "main()\n", "main(now)\n", "def main():\n    pass\n\nif go:\n    main(now)\n", Tier.INDENTATION,
    ),
    "part-line: a tag before its text": ('<b>\n  <a href="x">Text</a>\n', '<a href="x">\n', '<a href="y">\n', '<b>\n  <a href="y">Text</a>\n', Tier.PART_LINE),
    "trailing-space: in the file": ("a  \nb\t\nc\n", "a\nb\n", "a\nB\n", "a  \nB\nc\n", Tier.TRAILING_SPACE),
    "trailing-space: blank line holds blanks": ("a\n   \nb\n", "a\n\nb\n", "a\n\nB\n", "a\n   \nB\n", Tier.TRAILING_SPACE),
    "trailing-space: new lines behind the file's last, quoted with a blank line behind it": (
        "a = 1\n", "a = 1\n\n", "a = 1\n\nb = 2\n\n", "a = 1\n\nb = 2\n", Tier.TRAILING_SPACE,
    ),
    "trailing-space: new lines before the file's first, quoted with a blank line before it": (
        "a = 1\n", "\na = 1\n", "\nb = 2\n\na = 1\n", "b = 2\n\na = 1\n", Tier.TRAILING_SPACE,
    ),
    "trailing-space: blank lines around the block": ("x\na\ny\n", "\na\n\n", "\nA\n\n", "x\nA\ny\n", Tier.TRAILING_SPACE),
    "indentation: too deep": ("x = 1\ny = 2\n", "    x = 1\n", "    x = 2\n", "x = 2\ny = 2\n", Tier.INDENTATION),
    "indentation: too shallow, and the new lines go along": (
        "class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n    return 1\n",
        "def f(self):\n    if self:\n        return 2\n    return 1\n",
        "class A:\n    def f(self):\n        if self:\n            return 2\n        return 1\n",
        Tier.INDENTATION,
    ),
    "indentation: an outdent that stopped at column 0": (
        "def f():\n    if a:\n        go()\n    return 1\n",
        "def f():\nif a:\n    go()\nreturn 1\n",
        "def f():\nif a:\n    stop()\nreturn 1\n",
        "def f():\n    if a:\n        stop()\n    return 1\n",
        Tier.INDENTATION,
    ),
    "indentation: spaces against tabs": (
        "func f() {\n\tif a {\n\t\tgo()\n\t}\n}\n",
        "    if a {\n        go()\n    }\n",
        "    if a {\n        go()\n        if b {\n            stop()\n        }\n    }\n",
        "func f() {\n\tif a {\n\t\tgo()\n\t\tif b {\n\t\t\tstop()\n\t\t}\n\t}\n}\n",
        Tier.INDENTATION,
    ),
    "indentation: tabs against spaces": (
        "def f():\n  if a:\n    go()\n", "\tif a:\n\t\tgo()\n", "\tif a:\n\t\tgo()\n\t\tstop()\n",
        "def f():\n  if a:\n    go()\n    stop()\n", Tier.INDENTATION,
    ),
    "indentation: new blank lines stay blank": (
        "  a()\n  b()\n", "a()\nb()\n", "a()\n\nb()\n", "  a()\n\n  b()\n", Tier.INDENTATION,
    ),
    "whitespace: beside punctuation": ("f(a, b)  # c\n", "f(a,b) # c\n", "f(a,c) # c\n", "f(a, c)  # c\n", Tier.WHITESPACE),
    "whitespace: two-step file, four-step search": (
        "if a:\n  if b:\n    go()\n",
        "if a:\n    if b:\n        go()\n",
        "if a:\n    if b:\n        go()\n        if c:\n            stop()\n",
        "if a:\n  if b:\n    go()\n    if c:\n      stop()\n",
        Tier.WHITESPACE,
    ),
    "elision: three dots in one sign": (
        "def f():\n    a()\n    b()\n    c()\n", "    a()\n    \u2026\n    c()\n", "    a()\n    \u2026\n    d()\n",
        "def f():\n    a()\n    b()\n    d()\n", Tier.ELISION,
    ),
    "whitespace: a brace that the search alone sets off": (
        "if (a) {\n    go(now);\n}\nend();\n", "    go(now);\n\n}\n", "    go(then);\n\n}\n",
        "if (a) {\n    go(then);\n}\nend();\n", Tier.WHITESPACE,
    ),
    "whitespace: a blank line that the search lacks": (
        "a = 1\n\nb = 2\n", "a = 1\nb = 2\n", "a = 1\nb = 3\n", "a = 1\n\nb = 3\n", Tier.WHITESPACE,
    ),
    "whitespace: only the first line lost its indentation": (
        "def f():\n    a = 1\n    b = 2\n", "a = 1\n    b = 2\n", "a = 1\n    b = 3\n", "def f():\n    a = 1\n    b = 3\n", Tier.WHITESPACE,
    ),
    "form: entities in the search": ("if a < b && c:\n", "if a &lt; b &amp;&amp; c:\n", "if a &lt;= b:\n", "if a <= b:\n", Tier.FORM),
    "form: entities in the search alone": (
        "<p>old</p>\n", "&lt;p&gt;old&lt;/p&gt;\n", "<p>a &lt;b&gt;&nbsp;</p>\n", "<p>a &lt;b&gt;&nbsp;</p>\n", Tier.FORM,
    ),
    "form: entities in the lines that are kept alone": (
        "if a < b:\n    go()\n", "if a &lt; b:\n    go()\n", "if a < b:\n    go('&amp;')\n", "if a < b:\n    go('&amp;')\n",
        Tier.FORM,
    ),
    "form: entities in the file, for what is new, too": (
        "<p>oak &amp; elm</p>\n", "<p>oak & elm</p>\n", "<p>oak & elm & ash</p>\n", "<p>oak &amp; elm &amp; ash</p>\n", Tier.FORM,
    ),
    "form: curly quotes of both kinds in the reply alone": (
        'a = "x"\n', "a = \u201cx\u201d\n", "a = \u201cx\u201d\nb = \u2018y\u2019\n", "a = \"x\"\nb = 'y'\n", Tier.FORM,
    ),
    "form: entities in the file, and code in what is new": (
        "<b>Tom &amp; Jerry</b>\n",
        "<b>Tom & Jerry</b>\n",
        "<b>Tom & Jerry</b>\n{a && b < c}\n<i>Tea & milk</i>\n<i>{a & b}</i>\n",
        "<b>Tom &amp; Jerry</b>\n{a && b < c}\n<i>Tea &amp; milk</i>\n<i>{a & b}</i>\n",
        Tier.FORM,
    ),
    "form: entities in the file": (
        "<p>it&apos;s old</p>\n", "<p>it's old</p>\n", "<p>it's new</p>\n", "<p>it&apos;s new</p>\n", Tier.FORM,
    ),
    "form: curly quotes and dashes in the file": (
        "It\u2019s \u201cdone\u201d \u2013 now.\n", "It's \"done\" - now.\n", "It's \"done\" - then.\n",
        "It\u2019s \u201cdone\u201d \u2013 then.\n", Tier.FORM,
    ),
    "form: line numbers": (
        "a = 1\nb = 2\nc = 3\n", " 2 | b = 2\n 3 | c = 3\n", " 2 | b = 2\n 3 | c = 4\n", "a = 1\nb = 2\nc = 4\n", Tier.FORM,
    ),
    "form: line numbers in brackets, one of them new": (
        "a = 1\nb = 2\nc = 3\n", "[1] a = 1\n[2] b = 2\n[3] c = 3\n", "[1] a = 1\n[2] b = 2\n[3] if b:\n[4]     c = 4\n",
        "a = 1\nb = 2\nif b:\n    c = 4\n", Tier.FORM,
    ),
    "form: numbers right before deeper lines": (
        "def f():\n    a = 1\n    return a\n", "  1\u2192def f():\n  2\u2192    a = 1\n", "  1\u2192def f():\n  2\u2192    if b:\n  3\u2192        a = 1\n",
        "def f():\n    if b:\n        a = 1\n    return a\n", Tier.FORM,
    ),
    "form: a sign for its character reference": (
        "<p>&copy; 2024 &middot; Shop</p>\n", "<p>© 2024 · Shop</p>\n", "<p>© 2025 · Shop &amp; Co</p>\n",
        "<p>&copy; 2025 &middot; Shop &amp; Co</p>\n", Tier.FORM,
    ),
    "form: a character reference for its sign": (
        "<b>×</b>\n<p>all</p>\n", "<b>&times;</b>\n<p>all</p>\n", "<b>&times;</b>\n<hr>\n<p>all</p>\n",
        "<b>×</b>\n<hr>\n<p>all</p>\n", Tier.FORM,
    ),
    "form: escaped quotes": ('say("hi")\n', 'say(\\"hi\\")\n', 'say(\\"ho\\")\n', 'say("ho")\n', Tier.FORM),
    "form: newlines written out": ("a = 1\nb = 2\n", "a = 1\\nb = 2\n", "a = 1\\nb = 3\n", "a = 1\nb = 3\n", Tier.FORM),
    "form: each half in a fence": (
        "a = 1\nb = 2\n", "```python\nb = 2\n```\n", "```python\nb = 3\n```\n", "a = 1\nb = 3\n", Tier.FORM,
    ),
    "form: what goes in a fence, and nothing comes": ("a = 1\nb = 2\n", "~~~\nb = 2\n~~~\n", "", "a = 1\n", Tier.FORM),
    "form: the slash of a tag that never closes": (
        '<link rel="x">\n<img src="a.png">\n', '<link rel="x" />\n<img src="a.png"/>\n', '<link rel="x" />\n<img src="b.png"/>\n',
        '<link rel="x">\n<img src="b.png">\n', Tier.FORM,
    ),
    "form: a table's rule of another length": (
        "| Name | Use |\n|------|:----|\n| a    | b   |\n", "| Name | Use |\n| --- | :--- |\n", "| Name | Use |\n| --- | :--- |\n| c | d |\n",
        "| Name | Use |\n|------|:----|\n| c | d |\n| a    | b   |\n", Tier.FORM,
    ),
    "form: Unicode normal form": ("caf\u0065\u0301 = 1\n", "caf\u00e9 = 1\n", "caf\u00e9 = 2\n", "caf\u0065\u0301 = 2\n", Tier.FORM),
    "form: no-break spaces": ("a\u00a0= one\n", "a = one\n", "a = two\n", "a\u00a0= two\n", Tier.FORM),
    "form: no-break spaces in the search go from the new lines too": (
        "def f():\n    x = 1\n    return x\n",
        "\u00a0\u00a0\u00a0\u00a0x = 1\n",
        "\u00a0\u00a0\u00a0\u00a0x = 1\n\u00a0\u00a0\u00a0\u00a0y\u00a0= 2\n",
        "def f():\n    x = 1\n    y = 2\n    return x\n",
        Tier.FORM,
    ),
    "form: curly quotes in the search go from the new lines too": (
        "open('a')\n", "open(\u2019a\u2019)\n", "open(\u2019a\u2019)\nclose(\u2018b\u2019)\n", "open('a')\nclose('b')\n", Tier.FORM,
    ),
    "form: curly quotes inside of plain ones are the new line's own": (
        'say("hello")\ntell("all of you")\n',
        'say(\u201chello\u201d)\ntell("all of you")\n',
        'say(\u201chello\u201d)\ntell("all of \u201cyou\u201d")\n',
        'say("hello")\ntell("all of \u201cyou\u201d")\n',
        Tier.FORM,
    ),
    "form: guillemets are none of the curly quotes that go": (
        'open("a")\n',
        "open(\u201ca\u201d)\n",
        "open(\u201ca\u201d)\nprint('\u00bb' + mark)\n",
        "open(\"a\")\nprint('\u00bb' + mark)\n",
        Tier.FORM,
    ),
    "form: curly quotes of a file that has some stay in the new lines": (
        "say('a')\n# it\u2019s\n", "say(\u2019a\u2019)\n", "say(\u2019a\u2019)\n# don\u2019t\n", "say('a')\n# don\u2019t\n# it\u2019s\n", Tier.FORM,
    ),
    "elision: between two changed lines": (
        "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n",
        "def f():\n    a = 1\n    ...\n    return a\n",
        "def f():\n    a = 5\n    ...\n    return -a\n",
        "def f():\n    a = 5\n    b = 2\n    c = 3\n    return -a\n",
        Tier.ELISION,
    ),
    "elision: inserted before what follows": (
        "start()\nx\ny\nfinish()\n",
        "start()\n// ... existing code ...\nfinish()\n",
        "start()\n// ... existing code ...\nalmost()\nfinish()\n",
        "start()\nx\ny\nalmost()\nfinish()\n",
        Tier.ELISION,
    ),
    "elision: up to the end of the block": (
        "function a() {\n  one();\n  if (b) {\n    two();\n  }\n}\nfunction b() {\n}\n",
        "function a() {\n  // ...\n}\n", "function a(x) {\n  // ...\n}\n",
        "function a(x) {\n  one();\n  if (b) {\n    two();\n  }\n}\nfunction b() {\n}\n",
        Tier.ELISION,
    ),
    "elision: dots at the margin": (
        "def f():\n    a = 1\n    b = [2,\n         3]\n    return a\n\ndef g():\n    return a\n",
        "def f():\n...\n    return a\n\ndef g():\n", "def f():\n...\n    return -a\n\ndef g():\n",
        "def f():\n    a = 1\n    b = [2,\n         3]\n    return -a\n\ndef g():\n    return a\n",
        Tier.ELISION,
    ),
    "elision: beside definitions": (
        "def f():\n    pass\n\ndef g():\n    pass\n\ndef h():\n    go()\n",
        "def f():\n    pass\n\n# ...\n\ndef h():\n    go()\n", "def f():\n    pass\n\n# ...\n\ndef h():\n    stop()\n",
        "def f():\n    pass\n\ndef g():\n    pass\n\ndef h():\n    stop()\n",
        Tier.ELISION,
    ),
    "elision: a brace on a line of its own": (
        "void f()\n{\n  one();\n  two();\n}\n", "void f()\n  // ...\n  two();\n", "void f()\n  // ...\n  three();\n",
        "void f()\n{\n  one();\n  three();\n}\n",
        Tier.ELISION,
    ),
    "fuzzy: a docstring misremembered": (
        'def f(items):\n    """What all of the items\' sum is."""\n    first = 0\n    count = len(items)\n    return count\n',
        'def f(items):\n    """The sum of items."""\n    first = 0\n    count = len(items)\n    return count\n',
        'def f(items):\n    """The sum of items."""\n    first = 0\n    count = len(items)\n    return count + 1\n',
        'def f(items):\n    """What all of the items\' sum is."""\n    first = 0\n    count = len(items)\n    return count + 1\n',
        Tier.FUZZY,
    ),
    "fuzzy: lines that only go deeper": (
        "first(alpha);\nsecond(beta);\nsend({\n    done: true,\n});\n",
        "first(alpha);\nsecond(betta);\nsend({\n    done: true,\n});\n",
        "first(alpha);\nsecond(betta);\n    send({\n        done: true,\n    });\n",
        "first(alpha);\nsecond(beta);\n    send({\n        done: true,\n    });\n",
        Tier.FUZZY,
    ),
    "fuzzy: a typo on a line that goes": (
        "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n",
        "def total(items):\n    result = 0\n    for item in itens:\n        result += item.price\n    return result\n",
        "def total(items):\n    return sum(i.price for i in items)\n",
        "def total(items):\n    return sum(i.price for i in items)\n",
        Tier.FUZZY,
    ),
    "fuzzy: a kept comment misremembered": (
        "def area(radius):\n    # computes the area of a circle\n    factor = 3.14\n    return factor * radius ** 2\n",
        "def area(radius):\n    # calculate the area of the circle\n    factor = 3.14\n    return factor * radius ** 2\n",
        "def area(radius):\n    # calculate the area of the circle\n    factor = math.pi\n    return factor * radius ** 2\n",
        "def area(radius):\n    # computes the area of a circle\n    factor = math.pi\n    return factor * radius ** 2\n",
        Tier.FUZZY,
    ),
    "fuzzy: a letter of a short name that stands on many lines": (
        "if item.Err != nil {\n\treport(item.Err)\n}\nlog(item.Err)\nfor retries < limit {\n\tsend(item)\n}\n",
        "if item.Err != nil {\n\treport(item.Err)\n}\nlog(item.Erc)\nfor retries < limit {\n\tsend(item)\n}\n",
        "if item.Err != nil {\n\treport(item.Err)\n}\nlog(item.Erc)\nfor retries < limit {\n\tsendAll(item)\n}\n",
        "if item.Err != nil {\n\treport(item.Err)\n}\nlog(item.Err)\nfor retries < limit {\n\tsendAll(item)\n}\n",
        Tier.FUZZY,
    ),
    "fuzzy: a changed string in other quotes": (
        'start();\nmode("dev");\nlisten(port);\n',
        "start();\nmode('dev');\nlisten(port);\n",
        "start();\nmode('live');\nlisten(port);\n",
        'start();\nmode("live");\nlisten(port);\n',
        Tier.FUZZY,
    ),
    "fuzzy: kept strings in other quotes": (
        'app.use(json());\napp.use(log("dev"));\n\napp.get("/health", (q, s) => {\n  s.json({ status: "ok" });\n});\n',
        "app.use(json());\napp.use(log('dev'));\n\napp.get('/health', (q, s) => {\n",
        "app.use(json());\napp.use(log('dev'));\napp.use(cors());\n\napp.get('/health', (q, s) => {\n",
        'app.use(json());\napp.use(log("dev"));\napp.use(cors());\n\napp.get("/health", (q, s) => {\n  s.json({ status: "ok" });\n});\n',
        Tier.FUZZY,
    ),
    "fuzzy: backslashes before quotes in a kept line, which has others": (
        "import re\nword = re.compile('[\\\\w\\'-]+')\nfirst = word.match(given)\nlast = 1\n",
        "import re\nword = re.compile('[\\\\w'-]+')\nfirst = word.match(given)\nlast = 1\n",
        "import re\nword = re.compile('[\\\\w'-]+')\nfirst = word.match(given)\nlast = 'x'\n",
        "import re\nword = re.compile('[\\\\w\\'-]+')\nfirst = word.match(given)\nlast = 'x'\n",
        Tier.FUZZY,
    ),
    "fuzzy: a kept line of signs": (
        "## Set-up\n````sh\npip install shop\nshop pull small-model\n````\n## Running the shop\n",
        "## Set-up\n```sh\npip install shop\nshop pull small-model\n```\n## Running the shop\n",
        "## Set-up\n```sh\npip install shop\nshop pull large-model\n```\n## Running the shop\n",
        "## Set-up\n````sh\npip install shop\nshop pull large-model\n````\n## Running the shop\n",
        Tier.FUZZY,
    ),
    "fuzzy: a comma at the end of a line that is changed": (
        "const sizes = {\n  first: 10,\n  second: 20,\n};\n",
        "const sizes = {\n  first: 10,\n  second: 20\n};\n",
        "const sizes = {\n  first: 10,\n  second: 30\n};\n",
        "const sizes = {\n  first: 10,\n  second: 30,\n};\n",
        Tier.FUZZY,
    ),
    "fuzzy: a forgotten line between kept ones": (
        "def load(path):\n    check_exists(path)\n    log_access(path)\n    handle = open(path)\n    return handle.read()\n",
        "def load(path):\n    check_exists(path)\n    handle = open(path)\n    return handle.read()\n",
        "def load(path):\n    check_exists(path)\n    handle = open(path)\n    return handle.read().strip()\n",
        "def load(path):\n    check_exists(path)\n    log_access(path)\n    handle = open(path)\n    return handle.read().strip()\n",
        Tier.FUZZY,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LANDS)
def test_lands(name: str) -> None:
    file, search, replace, after, tier = LANDS[name]
    assert land(file, search, replace) == (after, tier)


COPIED = "    return total;\n}\n\nint other(list *items)\n{\n    int total = 87;\n    for (item in items) {\n"
SHARED = "".join(
    f"def till_{name}(till):\n    check(till)\n    for coin in till:\n        count(coin)\n\n" for name in "abcdefgh"
)
CLOSE = SHARED[: len(SHARED) // 8].replace("till_a", "close")
PATHS = "    base = Path(till).pqrent\n    coin = f'coin @ {(base / path).resolve()}'\n    check_the_coin('coin', path, coin)\n"
STEPS = "".join(f"    step_{number}(path)\n" for number in range(8))
SPREAD = "".join(
    f"    remember(name_{number}, {number} * size)\n" + "    go()\n" * (number % 3 == 1) for number in range(18)
)
PATHED = PATHS.replace("pqrent", "parent")
TAGS = "export const tall: Tag;\nexport const upside_down_and_turned_around: Tag;\nexport const wide: Tag;\n"

REFUSED = {
    "blanks inside quotes": ("s = 'a  b'\n", "s = 'a b'\n", "s = 'c'\n"),
    "two words for one": ("ab = 1\nprint(ab)\n", "a b = 1\n", "a_b = 1\n"),
    "other case": ("FOO = 1\n", "foo = 1\n", "foo = 2\n"),
    "a call that is indented, behind the word that defines it": (
        "def main():\n    pass\n\nif go:\n    mein()\n", "    main()\n", "    unit.main()\n",
    ),
    "a twin's name": ("const retries_b = 1;\nconst other = 2;\n", "const retries_a = 1;\n", "const retries_a = 5;\n"),
    "a misspelled name, and of the other lines only two that say it otherwise": (
        "# adds the tax of a country\n# and the fee of the shop\ntotal = prices + margin\nresult = compute(total)\n",
        "# adds taxes of the country\n# and fees of all the shops\ntotal = prices + margine\nresult = compute(total)\n",
        "# adds taxes of the country\n# and fees of all the shops\ntotal = prices + margine\nresult = compute(total, 2)\n",
    ),
    "a word misspelled in a stretch that stands often, beside others much like it": (
        "".join(
            f"step {n}\nattempts: 40\naccept: {state}\nmatcher: every path\n"
            for n, state in enumerate(["shut", "lost", "gone", "left", "sold", "kept", "held", *["open"] * 5])
        ),
        "attempts: 40\naccept: open\nmatchre: every path\n",
        "accept: open\nmatchre: every path\n",
    ),
    "a line forgotten, and two places with it, one right behind the other": (
        "total = prices =>\n\tlet sum = 0\n\tfor price in prices\n" * 2 + "\treturn sum\n",
        "total = prices =>\n\tfor price in prices\n",
        "# adds up\ntotal = prices =>\n\tfor price in prices\n",
    ),
    "a twin's number": ("limit_first = 30\nlimit_other = 7\n", "limit_first = 60\n", "limit_first = 90\n"),
    "a twin's header, kept": (
        "def pay_b(order):\n    total = order.sum()\n    charge(total)\n    return total\n",
        "def pay_a(order):\n    total = order.sum()\n    charge(total)\n    return total\n",
        "def pay_a(order):\n    total = order.sum()\n    charge(total)\n    return -total\n",
    ),
    "a twin's name on a kept line": (
        "key = 'b'\nfirst = read(key)\nsecond = parse(first)\nstore(second, retries=3)\n",
        "key = 'a'\nfirst = read(key)\nsecond = parse(first)\nstore(second, retries=3)\n",
        "key = 'a'\nfirst = read(key)\nsecond = parse(first)\nstore(second, retries=5)\n",
    ),
    "a twin's header, whose name many lines use": (
        "class Dot:\n    scale = 2.5\n    label = str(Dot)\n    other = [Dot, Dot]\n    shape = make(Dot)\n",
        "class Dog:\n    scale = 2.5\n    label = str(Dot)\n    other = [Dot, Dot]\n    shape = make(Dot)\n",
        "class Dog:\n    scale = 7.5\n    label = str(Dot)\n    other = [Dot, Dot]\n    shape = make(Dot)\n",
    ),
    "several names, each a letter from those of a twin": (
        "def test_byte_top(self):\n    ts = self.ts\n    with caught(Warning):\n        ts.of_byte = BYTE_TOP + 1\n",
        "def test_ubyte_top(self):\n    ts = self.ts\n    with caught(Warning):\n        ts.of_ubyte = UBYTE_TOP + 1\n",
        "def test_ubyte_top(self):\n    with caught(Warning):\n        ts.of_ubyte = UBYTE_TOP + 1\n",
    ),
    "a comment that names the twin": (
        "try:\n    size = measure(right)\nexcept OSError:\n    # no size for right_path\n    done = False\n",
        "try:\n    size = measure(right)\nexcept OSError:\n    # no size for left_path\n    done = False\n",
        "try:\n    size = measure(right)\nexcept OSError:\n    # no size for left_path\n    done = None\n",
    ),
    "backslashes before quotes, all of which may be lost": (
        "import re\nword = re.compile('[a-z\\'-]+')\nfirst = word.match(given)\nlast = 1\n",
        "import re\nword = re.compile('[a-z'-]+')\nfirst = word.match(given)\nlast = 1\n",
        "import re\nword = re.compile('[a-z'-]+')\nfirst = word.match(given)\nlast = 'it's'\n",
    ),
    "other backslashes on a kept line": (
        "import re\nword = re.compile('[\\\\w-]+')\nfirst = word.match(given)\nlast = 1\n",
        "import re\nword = re.compile('[\\\\d-]+')\nfirst = word.match(given)\nlast = 1\n",
        "import re\nword = re.compile('[\\\\d-]+')\nfirst = word.match(given)\nlast = 2\n",
    ),
    "a kept line that says something else": (
        "when = clock.now()\nif zone:\n    when = clock.at(zone)\nreturn '%d, %s %s GMT' % when.parts\n",
        "when = clock.now()\nif zone:\n    when = clock.at(zone)\nreturn '%d-%dT%dZ' % when.parts\n",
        "when = clock.now()\nif zone:\n    when = clock.in_zone(zone)\nreturn '%d-%dT%dZ' % when.parts\n",
    ),
    "a kept line that says more, and a changed one that stands twice": (
        "size = 1\nfirst = read(key, size)\nsecond = parse(first)\nstore(second)\nother()\nstore(second)\n",
        "size = 1\nfirst = read(key)\nsecond = parse(first)\nstore(second)\n",
        "size = 1\nfirst = read(key)\nsecond = parse(first)\nstore(second, 2)\n",
    ),
    "a kept line that says more, and stands elsewhere as it is": (
        "size = 1\nfirst = read(key, size)\nsecond = parse(first)\nstore(second)\nlast = 2\nfirst = read(key)\n",
        "size = 1\nfirst = read(key)\nsecond = parse(first)\nstore(second)\n",
        "size = 1\nfirst = read(key)\nsecond = parse(first)\nstore(second, 2)\n",
    ),
    "too many kept lines that say more": (
        "size = old(1)\nfirst = read(key, 1)\nsecond = parse(first, 1)\nstore(second)\nother(second)\n",
        "size = old()\nfirst = read(key)\nsecond = parse(first)\nstore(second)\nother(second)\n",
        "size = old()\nfirst = read(key)\nsecond = parse(first)\nstore(second, 2)\nother(second)\n",
    ),
    "a query that is kept, and asks for something else": (
        "begin = now()\nrows = query('''\n    SELECT name FROM people WHERE old\n''')\nlast = begin\nreturn rows, last\n",
        "begin = now()\nrows = query('''\n    SELECT title FROM books WHERE old\n''')\nlast = begin\nreturn rows, last\n",
        "begin = now()\nrows = query('''\n    SELECT title FROM books WHERE old\n''')\nlast = begin\nreturn last\n",
    ),
    "first and last line alone": (
        "def pay(a):\n    check(a)\n    charge(a)\n    return True\n",
        "def pay(a):\n    audit_everything(a, deep=1)\n    notify_all_the_users_by_mail()\n    return True\n",
        "def pay(a):\n    return False\n",
    ),
    "a forgotten line that touches the change": (
        "def load(path):\n    check_exists(path)\n    handle = open(path)\n    log_access(path)\n    return handle.read()\n",
        "def load(path):\n    check_exists(path)\n    handle = open(path)\n    return handle.read()\n",
        "def load(path):\n    check_exists(path)\n    handle = open(path)\n    return handle.read().strip()\n",
    ),
    "an entry behind one that lacks its comma": (
        '{\n  "first": 10,\n  "second": 20\n}\n', '  "second": 20,\n', '  "second": 20,\n  "third": 30,\n',
    ),
    "a misspelled name that the replacement repeats": (
        "def f(items):\n    count = len(items)\n    print(count)\n    for item in items:\n        use(item)\n",
        "def f(items):\n    count = len(items)\n    print(count)\n    for item in itens:\n        use(item)\n",
        "def f(items):\n    count = len(items)\n    print(count)\n    for item in sorted(itens):\n        use(item)\n",
    ),
    "an elision that the replacement lacks": (
        "def f():\n    a = 1\n    b = 2\n    return a\n", "def f():\n    ...\n    return a\n", "def f():\n    return 0\n",
    ),
    "other quotes, in which a place is filled, on a line that the edit changes": (
        'start();\nmode("$dev");\nlisten(port);\n', "start();\nmode('$dev');\nlisten(port);\n",
        "start();\nmode('$live');\nlisten(port);\n",
    ),
    "other quotes, and the line as quoted elsewhere": (
        'start();\nmode("dev");\nlisten(port);\n\nrestart();\nmode(\'dev\');\nclose(port);\n',
        "start();\nmode('dev');\nlisten(port);\n", "start();\nmode('dev');\nlisten(port, host);\n",
    ),
    "other quotes, and two such places": (
        'go();\nmode("dev");\nlisten();\n\ngo();\nmode("dev");\nlisten();\n', "go();\nmode('dev');\nlisten();\n", "go();\nmode('dev');\nlisten(1);\n",
    ),
    "other quotes, and two such places of lines that stand everywhere": (
        'go();\nmode("dev");\nx();\n\ngo();\nmode("dev");\nx();\n', "go();\nmode('dev');\nx();\n", "go();\nmode('dev');\nx(1);\n",
    ),
    "a misspelled line, and a copy right behind": (
        "    }\n" + COPIED + "reset();\n" + COPIED,
        COPIED.replace("return total", "return totpl"),
        COPIED.replace("return total", "return totpl").replace("= 87", "= 88"),
    ),
    "a misspelled line, and a copy behind many that have all others": (
        CLOSE + SHARED + CLOSE, CLOSE.replace("close", "closs"), CLOSE.replace("close", "closs").replace("in till", "in sorted(till)"),
    ),
    "blanks inside the quotes of a likely line": ('raise ValueError("too small")\n', 'raise ValueError("too  small")\n', "pass\n"),
    "part of a line that the replacement has whole": ("This is old text.\n", "This is old text\n", "This is new text.\n"),
    "signs alone, but for the blanks beside them": ('"""\n\n    """\n', '    """\n\n"""\n', '    """\n\n"""\nnew = 1\n'),
    "a place and its copy right behind it, and the search ends with another word": (
        TAGS * 2, TAGS.replace("export const wide", "ecport const wide"),
        TAGS.replace("export const wide", "ecport const wide") + "export const narrow: Tag;\n",
    ),
    "a place and its copy right behind it, and the search begins with another word": (
        TAGS * 2, TAGS.replace("export const tall", "ecport const tall"),
        TAGS.replace("export const tall", "ecport const tall") + "export const narrow: Tag;\n",
    ),
    "the same, among other lines": (f"{STEPS}{PATHED * 2}{STEPS}", PATHS, f"{PATHS}    again(path)\n"),
    "a place and one much like it, from which lines of the search stand ever further": (
        f"{SPREAD}{STEPS}{SPREAD.replace('name_3', 'name_x')}", SPREAD.replace("    go()\n", "").replace("name_7", "nmae_7"),
        SPREAD.replace("    go()\n", "").replace("name_7", "nmae_7") + "    again(path)\n",
    ),
    "a directive that looks like a comment": (
        "#pragma once\n#include <bank/till.h>\n#include <atomic>\n#include <mutex>\n#include <shop/log.h>\n",
        "#pragma once\n#include <shop/till.h>\n#include <atomic>\n#include <mutex>\n#include <shop/log.h>\n",
        "#pragma once\n#include <shop/till.h>\n#include <mutex>\n#include <atomic>\n#include <shop/log.h>\n",
    ),
    "an option that looks like a comment": (
        "docker run\n--network shop\n--volume first:first\n--volume second:second\n--detach\n",
        "docker run\n--network bank\n--volume first:first\n--volume second:second\n--detach\n",
        "docker run\n--network bank\n--volume first:first\n--volume third:third\n--detach\n",
    ),
    "a comment that says something else, and only words are changed": (
        "# Name of the bank\n# that keeps the money.\n#\n# Defaults to none at all.\n# Size of the drawer.\nrun(1)\n",
        "# Name of the shop\n# that keeps the money.\n#\n# Defaults to none at all.\n# Size of the drawer.\nrun(1)\n",
        "# Name of the shop\n# that keeps the money.\n#\n# Defaults to nothing.\n# Size of the drawer.\nrun(1)\n",
    ),
    "a list that is empty, for one that is begun": (
        '"a": "pure",\n"inputs": [],\n"name": 1\n', '"a": "pure",\n"inputs": [\n', '"a": "view",\n"inputs": [\n',
    ),
    "a list that is empty, for the end of one": ('"b": [],\n"a": "pure"\n', '],\n"a": "pure"\n', '],\n"a": "view"\n'),
    "a brace behind one that the search forgot": (
        "if a {\n  log(a, 1)\n  case b {\n    close(b)\n    }\n  }\n\n}\n",
        "    close(b)\n    }\n\n}\n",
        "    close(c)\n    }\n\n    added()\n}\n",
    ),
    "a place, and a copy right behind it of which the search ends with words that stand there twice": (
        ("    end\n    \n    def told\n      say_it\n    end\n    \n  end\nend\n") * 2,
        "    end\n    \n    def told\n      say_it\n    end\n    \n  eqd\nend\n",
        "    end\n  eqd\nend\n",
    ),
    "an entry that goes before another with a line forgotten, which the new one would be given": (
        'from "the old shop"\nlist [\n  {\n    open no\n    names [\n      {\n        kind price\n      }\n    ]\n  }\n]\n',
        'from "the old shop"\nlist [\n  {\n    names [\n      {\n        kind price\n',
        'from "the old shop"\nlist [\n  {\n    names [\n      {\n        kind margin\n      }\n    ]\n  }\n  {\n    names [\n      {\n        kind price\n',
    ),
    "ends of blocks with one forgotten between, as others elsewhere": (
        "        }\n      };\n    }\n  } else {\n    go();\n  }\n\n        }\n      };\n    } else {\n",
        "        }\n      };\n  } else {\n",
        "        }\n        stop();\n      };\n  } else {\n",
    ),
    "inside a word": ("xcount = 1\n", "count = 1\n", "count = 2\n"),
    "inside a longer path": ("import a.b\nvalue = self.rate\n", "self.rat\n", "self.cat\n"),
    "nothing like it": ("a = 1\n", "def something_else(entirely):\n    return 'new'\n", "x\n"),
}  # fmt: skip


def test_a_misspelled_name_leads_to_its_place_among_many_that_have_all_other_lines() -> None:
    file = SHARED + SHARED.replace("till_", "bank_") + CLOSE
    search = CLOSE.replace("close", "closs")
    assert land(file, search, search.replace("count(coin)", "count(coin, 2)")) == (
        SHARED + SHARED.replace("till_", "bank_") + CLOSE.replace("count(coin)", "count(coin, 2)"),
        Tier.FUZZY,
    )


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    file, search, replace = REFUSED[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome


SLIPS = {
    "of a letter": ((("given", "givne"),), "", True),
    "of a letter, to a name that the file has": ((("given", "givne"),), "givne = 1\n", False),
    "of a letter's case": ((("handle.read", "Handle.read"),), "", False),
    "in two names": ((("given", "givne"), ("check", "chekc")), "", False),
}


@pytest.mark.parametrize("name", SLIPS)
def test_one_slip_in_a_name_that_the_file_has_not_got_is_a_slip(name: str) -> None:
    slips, behind, lands = SLIPS[name]
    file = search = LOAD.removeprefix("def load(path):\n")
    for right, wrong in slips:
        search = search.replace(right, wrong)
    outcome = locate(Document(file + behind), Needle(search, search.replace("keep(rows)", "keep(rows, path)")))
    assert isinstance(outcome, Match if lands else NoMatch), outcome


def test_a_slip_needs_others_that_agree_to_be_certain_of_the_place() -> None:
    search = "rows = handle.read(givne)\ncheck(rows, path)\n"
    outcome = locate(Document(search.replace("givne", "given")), Needle(search, search.replace("path", "2")))
    assert isinstance(outcome, NoMatch), outcome


ELIDED = {
    "a brace that the gap would step over": (
        "function a() {\n  one();\n}\nfunction b() {\n  two();\n}\n",
        "function a() {\n  // ...\n  two();\n}\n",
        "function a() {\n  // ...\n  three();\n}\n",
    ),
    "a definition that the gap would step over": (
        "def a():\n    one()\n\ndef b():\n    two()\n", "def a():\n    # ...\n    two()\n", "def a():\n    # ...\n    three()\n",
    ),
    "another branch": (
        "if (a) {\n  one();\n} else {\n  two();\n}\n", "if (a) {\n  ...\n  two();\n}\n", "if (a) {\n  ...\n  three();\n}\n",
    ),
    "two braces below it, where the first two that follow are set apart": (
        "Shop make(\n    Till till)\n{\n  return Shop(till);\n}\n\n}\n}\n",
        "    Till till)\n// ...\n\n}\n}\n",
        "    Till till)\n// ...\n\n} // all of it\n",
    ),
    "beside a line, out of its block": (
        "def a():\n    x = 1\n    one()\n\ndef b():\n    two()\n    y = 1\n",
        "    x = 1\n    # ...\n    y = 1\n", "    x = 1\n    # ...\n    y = 2\n",
    ),
    "a deeper line than the one that was shown": (
        "def a(x):\n    if x:\n        one()\n        return y\n    return x\n",
        "def a(x):\n    # ...\n    return y\n", "def a(x):\n    # ...\n    return z\n",
    ),
    "a line deeper than the elision, and shallower ones": (
        "x = y\n        .b()\n    .c()\n    .d()\n", "x = y\n    ...\n    .d()\n", "x = y\n    ...\n    .e()\n",
    ),
    "a closing line that closes something else": (
        "a {\n  b {\n    x\n  }\n}\nc {\n  y\n}\n", "a {\n  ...\n  y\n}\n", "a {\n  ...\n  z\n}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ELIDED)
def test_an_elision_does_not_leave_its_block(name: str) -> None:
    outcome = locate(Document(ELIDED[name][0]), Needle(*ELIDED[name][1:]))
    assert isinstance(outcome, NoMatch), outcome


BESIDE = {
    "behind a blank line alone": ("first = 1\n\nsecond = 2\nthird = 3\n", "\n# ...\nthird = 3\n", "\nnew = 0\n\n# ...\nthird = 3\n"),
    "before all that is quoted": ("first = 1\nsecond = 2\n", "# ...\nsecond = 2\n", "new = 0\n# ...\nsecond = 2\n"),
    "behind all that is quoted": ("first = 1\nsecond = 2\n", "first = 1\n# ...\n", "first = 1\n# ...\nnew = 0\n"),
    "an elision of nothing, where another would leave its block": (
        '"""\nOne.\n"""\n\nclass Two:\n    """\n    Trains a second one.\n    """\n',
        '"""\n# ...\nTrains a second one.\n', '\nMore.\n"""\n# ...\nTrains a second one.\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_new_lines_beside_an_elision_need_a_line_that_says_where(name: str) -> None:
    outcome = locate(Document(BESIDE[name][0]), Needle(*BESIDE[name][1:]))
    assert isinstance(outcome, NoMatch), outcome


PARTED = {
    "behind one more than it has": ("x = 1\n\ny = 2\n", "x = 1\n\n\n", "x = 1\n\n\n@slow\n"),
    "before one more than it has": ("y = 2\n\nclass A:\n", "\n\nclass A:\n", "\ndef f(): ...\n\n\nclass A:\n"),
    "behind what it quotes": ("x = 1\ny = 2\n", "x = 1\n\n", "x = 1\n\n@slow\n"),
    "before what it quotes": ("@slow\nclass A:\n    pass\n", "\nclass A:\n", "\ndef f(): ...\n\nclass A:\n"),
}


@pytest.mark.parametrize("name", PARTED)
def test_an_insertion_needs_the_blank_line_that_it_quotes(name: str) -> None:
    outcome = locate(Document(PARTED[name][0]), Needle(*PARTED[name][1:]))
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.code is Code.CONFLICT


def test_a_blank_line_quoted_at_the_files_end_parts_nothing() -> None:
    assert land("x = 1\n", "x = 1\n\n", "x = 1\n\ny = 2\n")[1] is Tier.TRAILING_SPACE


ALREADY = {
    "the insertion stands": ("import a\nimport b\nx\n", "import a\n", "import a\nimport b\n"),
    "inserted before": ("import a\nimport b\nx\n", "import b\n", "import a\nimport b\n"),
    "the new line stands where the old one should": ("x = 2\ny = 3\n", "x = 1\n", "x = 2\n"),
    "a short line with much put into it": (
        "a()\nuse(cors({ origin: list }));\n",
        "use(cors());\n",
        "use(cors({ origin: list }));\n",
    ),
    "inserted, at a looser tier": ("f(a, b)\nnew()\n", "f(a,b)\n", "f(a,b)\nnew()\n"),
    "a blank line that the search alone has, taken out": (
        "first = 1\nsecond = 2\n",
        "first =  1\n\nsecond = 2\n",
        "first =  1\nsecond = 2\n",
    ),
    "both made the same change": (
        "def f(items):\n    count = len(items)\n    print(count)\n    total = 2\n    use(items)\n    # the end of it all\n",
        "def f(items):\n    count = len(items)\n    print(count)\n    total = 1\n    use(items)\n    # end of it all\n",
        "def f(items):\n    count = len(items)\n    print(count)\n    total = 2\n    use(items)\n    # end of it all\n",
    ),
    "a line's end is added to, with a blank line behind": (
        "{\n  a();\n} # b\n\nc();\n",
        "{\n  a();\n}\n\n",
        "{\n  a();\n} # b\n\n",
    ),
    "an insertion that ends as it begins, with a blank line behind": (
        "});\n\nput('/a', () => {\n});\n\nget('/b')\nend();\n",
        "});\n\nget('/b')\n\n",
        "});\n\nput('/a', () => {\n});\n\nget('/b')\n\n",
    ),
    "an insertion that ends as it begins, quoted otherwise": (
        "  });\n\n  put('/a', () => {\n  });\n\n  get('/b')\n",
        "});\n\nget('/b')\n",
        "});\n\nput('/a', () => {\n});\n\nget('/b')\n",
    ),
    "an insertion that begins as what stands below it": (
        "a();\n\nb();\n\nb();\nc();\n",
        "a();\nb();\n",
        "a();\nb();\n\nb();\n",
    ),
    "in CRLF": ("import a\r\nimport b\r\n", "import a\n", "import a\nimport b\n"),
    "the insertion begins with lines like those above it": (
        "\n\nclass Box:\n    pass\n\n\nrun()\n",
        "\n\nrun()\n",
        "\n\nclass Box:\n    pass\n\n\nrun()\n",
    ),
    "only a blank line was added": ("def f():\n    go(1)\n\n\nf()\n", "    go(1)\n\nf()\n", "    go(1)\n\n\nf()\n"),
    "only a blank line was taken": ("def f():\n    go(1)\n\nf()\n", "    go(1)\n\n\nf()\n", "    go(1)\n\nf()\n"),
    "only blanks were taken off a line's end": (
        "a = 1\nb = 2\n",
        "a = 1 \nb = 2 \n",
        "a = 1\nb = 2 \n",
    ),
    "only the indentation was changed": (
        "print('no unit',\n      file=log)\nreturn\n",
        "print('no unit',\n    file=log)\nreturn\n",
        "print('no unit',\n      file=log)\nreturn\n",
    ),
    "only the indentation of some lines was changed, and another is misspelled": (
        "first(alpha);\nsecond(beta);\n    send({\n        done: true,\n    });\n",
        "first(alpha);\nsecond(betta);\nsend({\n    done: true,\n});\n",
        "first(alpha);\nsecond(betta);\n    send({\n        done: true,\n    });\n",
    ),
    "lines were moved deeper, and a kept one has other blanks": (
        "rate = a + b\nif rate:\n        go(rate)\n        stop(1)\n",
        "rate = a+b\nif rate:\n    go(rate)\n    stop(1)\n",
        "rate = a+b\nif rate:\n        go(rate)\n        stop(1)\n",
    ),
    "lines were moved and others added, and a kept one has other blanks": (
        "rate = a + b\nif rate:\n        go(rate)\nlog(rate)\nend()\nstop(1)\n",
        "rate = a+b\nif rate:\n    go(rate)\nlog(rate)\nstop(1)\n",
        "rate = a+b\nif rate:\n        go(rate)\nlog(rate)\nend()\nstop(1)\n",
    ),
    "lines were moved deeper past others like them, and one of them has other quotes": (
        'a = 1\nfor x in y {\n\t\tif x {\n\t\t\tsay("no way", x)\n\t\t}\n\t\tadd(x * 66)\n\t}\n\treturn a\n}\n',
        "a = 1\nfor x in y {\n\tif x {\n\t\tsay('no way', x)\n\t}\n\tadd(x * 66)\n}\n\treturn a\n}\n",
        "a = 1\nfor x in y {\n\t\tif x {\n\t\t\tsay('no way', x)\n\t\t}\n\t\tadd(x * 66)\n\t}\n\treturn a\n}\n",
    ),
    "a line was deleted between two": (
        "one = first(1)\nthree = third(3)\n",
        "one = first(1)\ntwo = second(2)\nthree = third(3)\n",
        "one = first(1)\nthree = third(3)\n",
    ),
    "wrapped in a block": ("if a:\n    go()\n", "go()\n", "if a:\n    go()\n"),
}

AGAINST = {
    "the lines to delete are there": (
        "from a import one, two\nimport mail\nimport sys\n",
        "from a import one, two\nimport mail\nimport post\n\n",
        "from a import one, two\n\n",
        Code.CONFLICT,
    ),
}


@pytest.mark.parametrize("name", AGAINST)
def test_a_replacement_that_stands_elsewhere_proves_nothing(name: str) -> None:
    file, search, replace, code = AGAINST[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.code is code


EMPTY_LINES = {
    "above": ("a\nb\nc\n", "b", "\nb", "a\n\nb\nc\n"),
    "above, and one stands there": ("a\n\nb\nc\n", "\nb", "\n\nb", "a\n\n\nb\nc\n"),
    "behind": ("a\nb\nc\n", "b", "b\n", "a\nb\n\nc\n"),
    "above, with a line": ("a\nb\n", "b", "\nx\nb", "a\n\nx\nb\n"),
}


@pytest.mark.parametrize("name", EMPTY_LINES)
def test_a_run_of_characters_adds_an_empty_line(name: str) -> None:
    file, search, replace, wanted = EMPTY_LINES[name]
    assert land(file, search, replace, inline=True) == (wanted, Tier.EXACT)


RUN_STANDS = {
    "an empty line above": ("a\n\nb\nc\n", "b", "\nb"),
    "an empty line behind": ("a\nb\n\nc\n", "b", "b\n"),
    "the file's last line end": ("a\nb\n", "b", "b\n"),
    "a line behind a line end": ("a\nx\nb\n", "\nb", "\nx\nb"),
    "more in the line": ("go(a, b)\n", "go(a", "go(a, b"),
}


@pytest.mark.parametrize("name", RUN_STANDS)
def test_a_run_of_characters_stands(name: str) -> None:
    file, search, replace = RUN_STANDS[name]
    assert isinstance(locate(Document(file), Needle(search, replace, inline=True)), AlreadyApplied)


@pytest.mark.parametrize("name", ALREADY)
def test_already_applied(name: str) -> None:
    file, search, replace = ALREADY[name]
    assert isinstance(locate(Document(file), Needle(search, replace)), AlreadyApplied)


@pytest.mark.parametrize("sign", ['"""', "}", "*/"])
def test_a_lone_sign_below_a_blank_line_is_not_the_one_to_be_added_above_it(sign: str) -> None:
    file = f"    one\n    two\n\n    {sign}\n    three\n"
    search, replace = "    one\n    two\n\n", f"    one\n    two\n    {sign}\n\n"
    assert land(file, search, replace) == (file.replace(search, replace), Tier.EXACT)
    assert isinstance(locate(Document(file.replace(search, replace)), Needle(search, replace)), AlreadyApplied)


def test_a_strict_tier_is_never_overridden_by_a_loose_one() -> None:
    file = "    x = 1\nx = 1\n"
    assert land(file, "x = 1\n", "x = 2\n") == ("    x = 1\nx = 2\n", Tier.EXACT)


def test_only_the_tiers_allowed_are_asked() -> None:
    outcome = locate(Document("  x = 1\n"), Needle("x = 1\n", "x = 2\n"), tiers=(Tier.EXACT,))
    assert isinstance(outcome, NoMatch)


@pytest.mark.parametrize("name", LANDS)
def test_no_tier_is_asked_that_is_not_allowed(name: str) -> None:
    file, search, replace, _, tier = LANDS[name]
    outcome = locate(Document(file), Needle(search, replace), tiers=tuple(other for other in Tier if other is not tier))
    assert not isinstance(outcome, Match) or outcome.tier is not tier


def test_fences_are_the_files_own_where_it_has_some() -> None:
    file = "npm test\n\n```sh\nnpm start\n```\n"
    assert isinstance(locate(Document(file), Needle("```sh\nnpm test\n```\n", "```sh\nnpm run\n```\n")), NoMatch)
    assert isinstance(locate(Document("npm test\n"), Needle("```sh\nnpm test\n```\n", "npm run\n")), NoMatch)


def test_signs_count_where_every_line_has_one_and_both_halves_do() -> None:
    for search, replace in (("-b = 2\n", "b = 3\n"), ("-b = 2\nc = 3\n", "+b = 3\n+c = 3\n"), (" b = 2\n", "+b = 3\n")):
        found = locate(Document("a = 1\nb = 2\nc = 3\n"), Needle(search, replace))
        assert not isinstance(found, Match) or found.tier is not Tier.FORM


def test_numbers_count_where_they_rise_from_line_to_line() -> None:
    file, search = "a = 1\nb = 2\n", "2: a = 1\n1: b = 2\n"
    assert isinstance(locate(Document(file), Needle(search, search.replace("a = 1", "a = 3"))), NoMatch)


def test_several_exact_places_are_refused_with_every_line() -> None:
    outcome = locate(Document("a\nb\na\nb\na\n"), Needle("a\n", "c\n"))
    assert isinstance(outcome, Ambiguous)
    assert [span.start for span in outcome.places] == [0, 4, 8]
    assert isinstance(locate(Document("a\nb\na\n"), Needle("a\n", "a\n")), Ambiguous)


def test_signs_alone_that_stand_in_a_replacement_prove_nothing() -> None:
    file = "if (a) {\n  x;\n}\n"
    assert isinstance(locate(Document(file), Needle("( ) { }\n", file)), NoMatch)


def test_the_first_is_taken_where_that_was_asked_for_and_only_at_exact() -> None:
    outcome = locate(Document("a\nb\na\n"), Needle("a\n", "c\n"), occurrence=Occurrence.FIRST)
    assert isinstance(outcome, Match)
    assert outcome.span.start == 0
    assert [span.start for span in outcome.others] == [4]
    loose = locate(Document("  ab\nc\n    ab\n"), Needle("ab\n", "x\n"), occurrence=Occurrence.FIRST)
    assert isinstance(loose, Ambiguous)


def test_replace_all_takes_every_place() -> None:
    outcome = locate(Document("a b a\na\n"), Needle("a", "xy", inline=True, replace_all=True))
    assert isinstance(outcome, Match)
    assert apply_edits("a b a\na\n", outcome.edits) == "xy b xy\nxy\n"
    overlapping = locate(Document("aaa\n"), Needle("aa", "x", inline=True, replace_all=True))
    assert isinstance(overlapping, Match)
    assert apply_edits("aaa\n", overlapping.edits) == "xa\n"


def test_of_lines_that_are_alike_in_the_search_alone_nobody_knows_which_stay() -> None:
    two = "    it do\n      a(\n        1\n      )\n    end\n\n    it do\n      b(\n        2\n      )\n    end\n"
    search = "".join(line.removeprefix("    ") for line in two.splitlines(keepends=True)[1:]) + "\nend\n\nend\n"
    needle = Needle(search, "  c(\n    3\n  )\nend\nend\nend\n")
    outcome = locate(Document(f"class A\n  class B\n{two}\n  end\n\nend\n"), needle)
    assert isinstance(outcome, NoMatch)
    assert outcome.code is Code.CONFLICT
    assert "twice alike" in outcome.reason


def test_a_conflict_names_the_line() -> None:
    outcome = locate(Document("const retries_b = 1;\n"), Needle("const retries_a = 1;\n", "const retries_a = 5;\n"))
    assert isinstance(outcome, NoMatch)
    assert outcome.code is Code.CONFLICT
    assert outcome.reason.startswith("Line 1:")
    assert outcome.nearest is not None
    assert outcome.nearest.found == "const retries_b = 1;"
    other = locate(Document(LOAD), Needle(LOAD.replace("keep", "drop"), LOAD.replace("keep(rows)", "drop(rows, 1)")))
    assert isinstance(other, NoMatch)
    reason = "Line 5: a line that the edit changes says something else in the file."
    assert other.reason == f"{reason} The edit quotes `drop(rows)`, the file has `keep(rows)`."


def test_what_is_left_out_ends_at_a_line_as_deep_as_the_search_says() -> None:
    file = "f {\n\tfor a {\n\t\tif b {\n\t\t\tx()\n\t\t}\n\t\ty()\n\t}\n\treturn c\n}\n\nvar d\n"
    search = "\t\tif b {\n\t\t\tx()\n\t\t}\n\t\t# ... rest of the code ...\n}\n\n"
    outcome = locate(Document(file), Needle(search, search.replace("\n}\n", "\n}\nnew\n")))
    assert not isinstance(outcome, Match) or "\treturn c\n}\nnew\n" in apply_edits(file, outcome.edits)


LINES = "def f(items):\n    kept = []\n    for item in items:\n        if item.size > limit:\n            raise ValueError(f)\n        kept.append(item)\n    return kept\n"


def test_a_line_that_spells_a_sign_in_two_ways_shows_none_for_new_ones() -> None:
    found, wanted, new = "<p>oak&apos;s &#39;elm</p>", "<p>oak's 'elm</p>", "<p>oak's 'elm 'ash</p>"
    assert with_entities_of(found, wanted, new) == (wanted, new)


def test_a_rewritten_line_has_the_files_signs_for_quoted_entities_and_a_new_line_may_have_none() -> None:
    file = f"{LINES}\n\nESCAPED = 'a &gt; b'\n"
    search = LINES.replace(">", "&gt;").replace("    kept = []\n", "", 1)
    outcome = locate(Document(file), Needle(search, search.replace("item.size", "item.length")))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == file.replace("item.size", "item.length")
    added = search.replace("    return", "    log(1 &gt; 0)\n    return")
    assert added != search
    outcome = locate(Document(file), Needle(search, added))
    assert not isinstance(outcome, Match), outcome


def test_nobody_knows_whose_backslashes_new_lines_have_where_a_quoted_one_has_some_of_the_replys_own() -> None:
    file = LINES.replace("    kept = []", '    """\n    Some.\n    """\n    kept = []')
    search = file.replace('"', '\\"').replace("items", "itens", 1)
    outcome = locate(Document(file), Needle(search, search.replace("item.size", 'item.size(\\"cm\\")')))
    assert not isinstance(outcome, Match), outcome
    outcome = locate(Document(file), Needle(search, search.replace("item.size", "item.length")))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == file.replace("item.size", "item.length")


def test_a_line_that_the_edit_deletes_may_be_gone_where_its_neighbours_stand_together() -> None:
    file = f"{LOAD}    close(rows)\n"
    kept = file.replace("given", "givne")
    search, replace = (
        kept.replace("    keep(", "    log(rows)\n    keep("),
        kept.replace("close(rows)", "close(rows, now)"),
    )
    assert land(file, search, replace) == (file.replace("close(rows)", "close(rows, now)"), Tier.FUZZY)


def test_a_place_is_no_surer_for_what_the_search_would_have_forgotten_in_another() -> None:
    entries = "".join(f'    "entry_{n}": {n},\n' for n in range(12))
    strict = '   "additionalProperties": false,\n'
    file = f'  }},\n  {{\n{strict}{entries}  }},\n  "Location": {{\n{strict}'
    search = f"  }},\n{strict}"
    outcome = locate(Document(file), Needle(search, f'{search}   "new": 1,\n'))
    assert isinstance(outcome, NoMatch), outcome


def test_a_run_of_the_searchs_own_lines_does_not_show_that_the_others_were_deleted() -> None:
    file = "name: one\ntype: string\nregion: here\ntype: string\ndescription: two\n"
    search = "type: string\ntype: string\ndescription: two\n"
    outcome = locate(Document(file), Needle(search, "type: string\ndescription: two\n"))
    assert isinstance(outcome, NoMatch), outcome


def test_a_blank_line_is_added_beside_one_that_stands_though_a_quoted_line_is_right_already() -> None:
    search = LINES.replace("raise ValueError(f)", "raise ValueErrer(f)")
    replace = LINES.replace("    for item", "\n    for item") + "\n"
    file = f"{LINES}\nend = 3\n"
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    after = apply_edits(file, outcome.edits)
    assert after == f"{replace}\nend = 3\n"
    assert not isinstance(locate(Document(after), Needle(search, replace)), Match)


@pytest.mark.parametrize("search", ["nothing like it\n", "zzz\n", "???\n"])
def test_a_miss_always_shows_text_of_the_file_where_it_has_any(search: str) -> None:
    outcome = locate(Document("\n\nfirst = 1\nsecond = 2\n"), Needle(search, "x\n"))
    assert isinstance(outcome, NoMatch)
    assert outcome.nearest is not None
    assert (outcome.nearest.start, outcome.nearest.corrected) == (3, "first = 1\nsecond = 2\n")
    assert (outcome.nearest.line, outcome.nearest.found, outcome.nearest.sure) == (None, None, False)
    empty = locate(Document("\n"), Needle(search, "x\n"))
    assert isinstance(empty, NoMatch)
    assert empty.nearest is None


FILL = "def fill(tank, litres):\n    level = tank.level + litres\n    tank.set(level)\n    return level\n"
DIFFERENCES: dict[str, tuple[str, Difference, int | None, str | None]] = {
    "only the indentation": (FILL.replace("    tank", "   tank"), Difference.INDENTATION, 3, "    tank.set(level)"),
    "only blanks": (FILL.replace("level + litres", "level  +  litres"), Difference.WHITESPACE, 2, "    level = tank.level + litres"),
    "only blanks at a line's end": (FILL.replace("litres\n", "litres  \n"), Difference.WHITESPACE, None, None),
    "a word, behind another indentation": (FILL.replace("    level", "  level").replace("set(level)", "put(level)"), Difference.MISREMEMBERED, 3, "    tank.set(level)"),
    "a line like none in the file": (FILL.replace("    tank.set(level)", "    raise Overflow"), Difference.MISREMEMBERED, 3, None),
    "a line that is left out": (FILL.replace("    tank.set(level)\n", ""), Difference.MISREMEMBERED, 3, "    tank.set(level)"),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_first_line_that_really_differs_is_named(name: str) -> None:
    search, difference, line, found = DIFFERENCES[name]
    outcome = locate(Document(FILL), Needle(search, "x\n"), tiers=(Tier.EXACT,))
    assert isinstance(outcome, NoMatch)
    near = outcome.nearest
    assert near is not None
    assert (near.difference, near.line, near.found) == (difference, line, found)


def test_where_nothing_is_alike_the_lines_that_share_rare_words_are_shown() -> None:
    file = "".join(f"def step_{n}(ship):\n    return ship + {n}\n\n\n" for n in range(60)) + "HARBOUR = 'north quay'\n"
    outcome = locate(Document(file), Needle("the quay of the harbour\n", "x\n"))
    assert isinstance(outcome, NoMatch)
    assert outcome.nearest is not None
    assert outcome.nearest.corrected == "HARBOUR = 'north quay'\n"
    assert not outcome.nearest.is_alike


def test_a_line_that_the_search_quotes_counts_more_than_one_rare_word_where_nothing_is_alike() -> None:
    others = "".join(f"ship_{n} = ship(load, cargo, {n})\n" for n in range(20))
    unlike = "".join(
        f"{word}\n"
        for word in (["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"])
    )
    search = f"the quay\n{unlike}ship.load(cargo)\n"
    outcome = locate(Document(f"HARBOUR = 'north quay'\n{others}ship.load(cargo)\n"), Needle(search, "x\n"))
    assert isinstance(outcome, NoMatch)
    assert outcome.nearest is not None
    assert outcome.nearest.corrected.endswith("\nship.load(cargo)\n")
