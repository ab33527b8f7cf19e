"""One table: a text and its definitions as `kind qualified first-last/body`, lines counted from 0."""

import pytest

from dovetail.syntax import default_language

PYTHON = '''\
@cached
@route("/x",
       verb="GET")
def page(a,
         b):
    # why
    """Say."""
    return a

class Shelf(Base):
    size = 1

    async def put(self): pass

    class Row:
        def cells(self):
            def each():
                yield 1
            return each
'''
TYPESCRIPT = """\
export const load = async (id: string) => {
  return id;
};
const view = memo(function () {
  return null;
});
@Component({
  selector: "x",
})
export class Page<T> extends Base {
  @Input() size: number;
  @Output()
  get done() {
    return 1;
  }
  handle = () => {
    go();
  };
}
export default function main() {
}
export type Shape = {
  a: string;
};
interface Store {
  get(key: string): void;
}
module.exports.late = function () {
};
const plain = 1;
"""
CPP = """\
template <class T>
int Outer::Inner::get(int x) {
  return x;
}
namespace deep {
struct Point { int x; };
class Box {
  Box();
  ~Box();
  int grow(int by);
};
}
int *made(void)
{
  int local(int);
}
struct Point *use(struct Point *p);
int (*callback)(int);
"""
RUST = """\
/// A shelf.
#[derive(Debug)]
#[repr(C)]
pub struct Shelf<T> {
    rows: T,
}

impl<T> Store for Shelf<T> {
    #[inline]
    pub fn put(&self) -> u8 {
        1
    }
}
mod inner { fn hidden() {} }
macro_rules! shout { () => {} }
const LIMIT: u8 = 1;
"""
JAVA = """\
package a;
@Deprecated
public class Shelf<T> {
  @Override
  public int put(int x)
      throws Oops {
    return 1;
  }
  Shelf() {}
  enum Side { LEFT }
}
"""
GO = """\
package a

type (
	Row struct{ x int }
	Store interface{ Get() }
)

type Shelf struct {
	rows int
}

func (s *Shelf[T]) Put() {
	x()
}

func Free(a int,
	b int) {
	y()
}
"""

CASES = {
    "a.py": (
        PYTHON,
        (
            "function page 0-7/5; class Shelf 9-18/10; method Shelf.put 12-12/12; class Shelf.Row 14-18/15; "
            "method Shelf.Row.cells 15-18/16; function Shelf.Row.cells.each 16-17/17"
        ),
    ),
    "a.ts": (
        TYPESCRIPT,
        (
            "function load 0-2/1; function view 3-5/4; class Page 6-18/10; method Page.done 11-14/13; "
            "method Page.handle 15-17/16; function main 19-20/20; other Shape 21-23/22; class Store 24-26/25; "
            "method Store.get 25-25/25; function module.exports.late 27-28/28"
        ),
    ),
    "a.cpp": (
        CPP,
        (
            "method Outer.Inner.get 0-3/2; other deep 4-11/5; class deep.Point 5-5/5; class deep.Box 6-10/7; "
            "method deep.Box.Box 7-7/7; method deep.Box.~Box 8-8/8; method deep.Box.grow 9-9/9; function made 12-15/14; "
            "function use 16-16/16"
        ),
    ),
    "a.rs": (
        RUST,
        (
            "class Shelf 1-5/4; class Shelf 7-12/8; method Shelf.put 8-11/10; other inner 13-13/13; "
            "function inner.hidden 13-13/13; function shout 14-14/14; other LIMIT 15-15/15"
        ),
    ),
    "a.java": (
        JAVA,
        "class Shelf 1-10/3; method Shelf.put 3-7/6; method Shelf.Shelf 8-8/8; class Shelf.Side 9-9/9",
    ),
    "a.go": (
        GO,
        (
            "class Row 3-3/3; class Store 4-4/4; method Store.Get 4-4/4; class Shelf 7-9/8; method Shelf.Put 11-13/12; "
            "function Free 15-18/17"
        ),
    ),
    "a.js": (
        "const o = {\n  a: function () {},\n  b() {},\n};\nclass K { static m() {} }\nfunction* gen() {\n}\n",
        "function a 1-1/1; function b 2-2/2; class K 4-4/4; method K.m 4-4/4; function gen 5-6/6",
    ),
    "a.tsx": (
        "export function App() {\n  return <b>hi</b>;\n}\nconst Row = () => <i />;\n",
        "function App 0-2/1; function Row 3-3/3",
    ),
    "a.rb": (
        "module M\n  class A < B\n    def f(x)\n      1\n    end\n    def self.g = 1\n  end\nend\nclass X::Y\nend\n",
        "class M 0-7/1; class M.A 1-6/2; method M.A.f 2-4/3; method M.A.g 5-5/5; class X.Y 8-9/9",
    ),
    "a.php": (
        "<?php\nfinal class C extends D {\n  public function f($a) {\n    return 1;\n  }\n}\nfunction g() {}\n",
        "class C 1-5/2; method C.f 2-4/3; function g 6-6/6",
    ),
    "a.c": (
        "struct s { int a; };\nstatic int h(void);\nint f(struct s *x)\n{\n  return 1;\n}\ntypedef int number;\n",
        "class s 0-0/0; function h 1-1/1; function f 2-5/4; other number 6-6/6",
    ),
    "a.sh": ("f() {\n  a\n}\nfunction g { b; }\n", "function f 0-2/1; function g 3-3/3"),
    "a.css": (
        ".a, .b {\n  c: d;\n}\n@media x {\n  .e {\n  }\n}\n@keyframes spin { from { a: b } }\n",
        "other .a, .b 0-2/1; other .e 4-5/5; other @keyframes spin 7-7/7",
    ),
    "a.md": (
        "# One\ntext\n\n## Two *b*\n\nhi\n\n# Three\nx\n",
        "other One 0-6/1; other One.Two *b* 3-6/4; other Three 7-8/8",
    ),
    "a.yaml": ("a:\n  b:\n    c: 1\nd: 2\n", "other a 0-2/1; other a.b 1-2/2"),
    "a.json": ('{"a": {\n "b": [\n 1]\n}, "c": 1}', "other a 0-3/1; other a.b 1-2/2"),
    "a.toml": ("[a.b]\nx = 1\n\n[[c]]\ny = 2\n", "other a.b 0-2/1; other c 3-4/4"),
    "a.html": ("<div>\n</div>\n", ""),
    "a.kt": ("class A {\n fun f(): Int = 1\n}\nfun g() {\n}\n", "class A 0-2/1; method A.f 1-1/1; function g 3-4/4"),
    "a.swift": ("struct S {\n func f() {}\n init() {}\n}\n", "class S 0-3/1; method S.f 1-1/1; method S.init 2-2/2"),
    "a.cs": (
        "namespace N {\n class A {\n  int F() { return 1; }\n }\n}\n",
        "other N 0-4/1; class N.A 1-3/2; method N.A.F 2-2/2",
    ),
    "a.lua": (
        "function M.f(x)\nend\nlocal function g() end\nM.h = function()\nend\nM.n = 1\n",
        "method M.f 0-1/1; function g 2-2/2; method M.h 3-4/4",
    ),
    "a.tf": ('resource "disk" "x" {\n a = 1\n}\n', 'other resource "disk" "x" 0-2/1'),
    "a.hs": (
        "f :: Int -> Int\nf 0 = 1\nf n = g n\n  where\n    g = id\n\nlimit = 3\n\ndata T = A\n  deriving Eq\n",
        "function f 1-1/1; function f 2-4/3; function limit 6-6/6; class T 8-9/9",
    ),
    "a.ex": (
        "defmodule A.B do\n  def f(x) when x > 1 do\n    x\n  end\n  defp g?(_), do: if(true, do: 1)\nend\n",
        "class A.B 0-5/1; method A.B.f 1-3/2; method A.B.g? 4-4/4",
    ),
    "a.jl": (
        "struct P\n    x::Int\nend\nfunction f!(a::P; b=1) where T\n    y = a\nend\nBase.show(a) = 1\nz = f(1) == 2\n",
        "class P 0-2/1; function f! 3-5/4; method Base.show 6-6/6",
    ),
    "a.dart": (
        "class A {\n  @override\n  int f(int a) {\n    return a;\n  }\n  int get y => 1;\n}\nvoid main() {\n  f();\n}\n",
        "class A 0-6/1; method A.f 1-4/3; method A.y 5-5/5; function main 7-9/8",
    ),
    "a.ml": ("let f x =\n  let y = x in\n  y\nmodule M = struct\nend\n", "function f 0-2/1; class M 3-4/4"),
    "a.zig": (
        'const S = struct {\n    pub fn f() void {\n    }\n};\nconst n = 1;\ntest "t" {\n}\n',
        "class S 0-3/1; method S.f 1-2/2; function t 5-6/6",
    ),
}


def shown(path: str, text: str) -> str:
    found = default_language().definitions(path, text)
    assert found is not None
    return "; ".join(f"{d.kind} {d.qualified} {d.first_line}-{d.last_line}/{d.body_line}" for d in found)


@pytest.mark.parametrize("path", CASES)
def test_definitions(path: str) -> None:
    text, expected = CASES[path]
    assert shown(path, text) == expected


@pytest.mark.parametrize("path", CASES)
def test_crlf_moves_no_definition(path: str) -> None:
    text, expected = CASES[path]
    assert shown(path, text.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize("path", CASES)
def test_lone_carriage_returns_count_as_lines_where_there_is_no_newline(path: str) -> None:
    text, expected = CASES[path]
    assert shown(path, text.replace("\n", "\r")) == expected


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.ts", "a.c", "a.cpp", "a.java", "a.rs", "a.go", "a.rb"])
def test_form_feeds_and_wide_characters_move_no_definition(path: str) -> None:
    comment = "#" if path in ("a.py", "a.rb") else "//"
    text = f"{comment} é\f\u2028😀\n{comment} \x0b x\x85\nfunction_name = 1;\n"
    definition = CASES[path][0]
    expected = shown(path, "\n\n\n" + definition)
    assert shown(path, text.rpartition("function_name")[0] + "\n" + definition) == expected
