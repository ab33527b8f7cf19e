"""The repository map: what it shows, what it costs, and what it remembers between runs."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from word_counter import words_and_signs

from dovetail.context import Interest, RepositoryMap, estimate, interest_in

FILES = {
    "shop/cart.py": (
        "from shop.price import PriceList\n\n\n"
        "class Cart:\n    def __init__(self):\n        self.rows = []\n\n"
        "    def add_row(self, row):\n        self.rows.append(row)\n\n"
        "    def total_price(self, prices: PriceList):\n        return prices.sum_of(self.rows)\n"
    ),
    "shop/price.py": (
        "import os\n\n\nclass PriceList:\n    def sum_of(\n        self,\n        rows,\n    ):\n        return sum(rows)\n\n\n"
        "def unused_helper():\n    return 1\n"
    ),
    "shop/web.py": "from shop.cart import Cart\n\n\ndef show_cart(cart: Cart):\n    return cart.total_price(None)\n",
    "page/app.ts": (
        "import { formatMoney } from './money';\n\nexport function renderCart(total: number): string {\n"
        "  return formatMoney(total);\n}\n"
    ),
    "page/money.ts": "export const formatMoney = (amount: number) => {\n  return amount.toFixed(2);\n};\n",
    "README.md": "# Shop\n\nSells.\n",
    "data.json": '{"formatMoney": {\n "a": 1}}\n',
}


def made(files: dict[str, str], cache: Path | None = None) -> RepositoryMap:
    built = RepositoryMap(cache)
    built.update(dict.fromkeys(files, ""), files.get)
    return built


def reading(files: dict[str, str], seen: list[str]) -> Callable[[str], str | None]:
    def read(path: str) -> str | None:
        seen.append(path)
        return files.get(path)

    return read


def test_a_map_shows_headers_under_the_headers_around_them() -> None:
    view = made(FILES).render(90, FILES.get, interest=Interest(held=frozenset({"shop/web.py"})))
    assert view.text == (
        "page/money.ts:\n│export const formatMoney = (amount: number) => {\n⋮\n\n"
        "shop/cart.py:\n⋮\n│class Cart:\n⋮\n│    def total_price(self, prices: PriceList):\n⋮\n\n"
        "shop/price.py:\n⋮\n│class PriceList:\n│    def sum_of(\n│        self,\n│        rows,\n│    ):\n⋮\n"
    )
    assert view.tokens == estimate(view.text)
    assert view.paths[0] == "shop/cart.py"


def test_what_the_chat_holds_is_left_out_and_what_it_leads_to_comes_first() -> None:
    built = made(FILES)
    from_page = built.render(60, FILES.get, interest=Interest(held=frozenset({"page/app.ts"})))
    assert from_page.paths[:1] == ("page/money.ts",)
    from_shop = built.render(60, FILES.get, interest=Interest(held=frozenset({"shop/web.py"})))
    assert from_shop.paths[:1] == ("shop/cart.py",)
    everything = frozenset(FILES)
    assert built.render(1_000, FILES.get, interest=Interest(held=everything)).text == ""


def test_words_of_the_request_bring_their_definitions() -> None:
    built = made(FILES)
    assert "unused_helper" not in built.render(60, FILES.get).text
    asked = interest_in("Why is `unused_helper` never called?", FILES)
    assert "│def unused_helper():\n" in built.render(40, FILES.get, interest=asked).text


@pytest.mark.parametrize(
    ("user", "text", "definer"),
    [
        ("a.py", "def root():\n    return Path()\n", "b.py"),
        ("a.tsx", "export const root = () => Path();\n", "c.ts"),
    ],
)
def test_a_name_leads_to_files_of_its_own_language_alone(user: str, text: str, definer: str) -> None:
    files = {user: text, "b.py": "class Path: pass\n", "c.ts": "export function Path() {\n  return 1;\n}\n"}
    assert made(files).render(100, files.get, interest=Interest(held=frozenset({user}))).paths[0] == definer


def test_what_a_program_packed_is_left_out() -> None:
    packed = "".join(f"function f{n}(){{return g{n}(1)}}" for n in range(50))
    files = {"a.js": "export function one() {\n  return 1;\n}\n", "b.min.js": f"/* licence */\n{packed}\n"}
    assert made(files).render(1_000, files.get).paths == ("a.js",)


def test_a_repository_without_references_is_shown_all_the_same() -> None:
    files = {"a.py": "def one(): pass\n", "b.py": "def two(): pass\n"}
    assert made(files).render(100, files.get).text == "a.py:\n│def one(): pass\n\nb.py:\n│def two(): pass\n"


NAMED = [
    ("Fix shop/cart.py please.", {"shop/cart.py"}),
    ("Fix cart.py, then `money.ts`!", {"shop/cart.py", "page/money.ts"}),
    ("see page\\app.ts", {"page/app.ts"}),
    ("the cart", set()),
    ("op/cart.py", set()),
    ("", set()),
]


@pytest.mark.parametrize(("request_text", "named"), NAMED)
def test_files_that_a_request_names(request_text: str, named: set[str]) -> None:
    assert interest_in(request_text, FILES).named == named


def test_a_name_that_many_files_have_means_none_of_them() -> None:
    paths = [f"part{n}/index.ts" for n in range(9)]
    assert interest_in("index.ts", paths).named == frozenset()
    assert interest_in("part3/index.ts", paths).named == {"part3/index.ts"}


@settings(max_examples=40, deadline=None)
@given(budget=st.integers(-5, 300), exact=st.booleans(), held=st.sets(st.sampled_from(sorted(FILES))))
def test_a_map_never_counts_more_than_its_budget(budget: int, exact: bool, held: set[str]) -> None:
    count = words_and_signs if exact else estimate
    view = SHARED.render(budget, FILES.get, interest=Interest(held=frozenset(held)), count=count)
    assert count(view.text, None) == view.tokens <= max(0, budget)
    assert not held & set(view.paths)


SHARED = made(FILES)


def test_only_what_changed_is_looked_at(tmp_path: Path) -> None:
    files = dict(FILES)
    seen: list[str] = []
    stamps = dict.fromkeys(files, "1")
    first = RepositoryMap(tmp_path).update(stamps, reading(files, seen))
    assert len(first.changed) == 5  # prose and data are no code
    assert sorted(seen) == sorted(path for path in FILES if path.endswith((".py", ".ts")))

    seen.clear()
    again = RepositoryMap(tmp_path)
    assert not again.update(stamps, reading(files, seen)).changed
    assert seen == []

    files["shop/price.py"] = files["shop/price.py"].replace("PriceList", "Prices")
    stamps["shop/price.py"] = stamps["shop/cart.py"] = "2"
    del stamps["page/app.ts"]
    done = again.update(stamps, reading(files, seen))
    assert (done.changed, done.gone) == ({"shop/price.py"}, {"page/app.ts"})
    assert sorted(seen) == ["shop/cart.py", "shop/price.py"]
    shown = again.render(1_000, files.get, interest=Interest(held=frozenset({"shop/web.py"})))
    assert "PriceList" not in shown.text.partition("shop/price.py")[2]


def test_a_new_run_shows_the_same_map(tmp_path: Path) -> None:
    interest = Interest(held=frozenset({"shop/web.py"}))
    first = made(FILES, tmp_path).render(500, FILES.get, interest=interest)
    assert made(FILES, tmp_path).render(500, FILES.get, interest=interest) == first


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "changed": lambda data: data[:-5] + b"junk\n",
    "empty": lambda data: b"",
    "binary": lambda data: bytes(range(256)) * 9,
    "another version": lambda data: b"00000000\n" + data[9:],
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_cache_is_as_good_as_none(name: str, tmp_path: Path) -> None:
    expected = made(FILES, tmp_path).render(500, FILES.get)
    (file,) = tmp_path.iterdir()
    file.write_bytes(DAMAGE[name](file.read_bytes()))
    assert made(FILES, tmp_path).render(500, FILES.get) == expected


def test_a_well_summed_cache_with_senseless_content_is_as_good_as_none(tmp_path: Path) -> None:
    import zlib

    expected = made(FILES, tmp_path).render(500, FILES.get)
    (file,) = tmp_path.iterdir()
    for body in (b"notes", b"[3]\na\tb\tc\td\te", b"[0, [[1]]]\n", b"\na.py\ts\td\tonly\x1ftwo\tn"):
        file.write_bytes(b"%08x\n" % zlib.crc32(body) + body)
        assert made(FILES, tmp_path).render(500, FILES.get) == expected


@pytest.mark.parametrize("how", ["pipe", "device", "sparse"])
def test_a_cache_that_is_no_file_of_usual_size_is_as_good_as_none(tmp_path: Path, how: str) -> None:
    made(FILES, tmp_path)
    (file,) = tmp_path.iterdir()
    file.unlink()
    if how == "pipe":
        os.mkfifo(file)
    elif how == "device":
        file.symlink_to("/dev/zero")
    else:
        file.touch()
        os.truncate(file, 20 << 30)
    assert made(FILES, tmp_path).render(500, FILES.get).text


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert made(FILES, blocked / "cache").render(500, FILES.get).text


ODD = {
    "gone.py": None,
    "deep.py": "(" * 900,
    "nul.py": "def f(): pass\0",
    "empty.py": "",
    "tab\tname.py": "def in_odd_path(): pass\n",
    "minified.js": "function aa(){}" * 3_000,
    "crlf.py": "def with_crlf(\r\n    a,\r\n):\r\n    pass\r\n",
    "broken.py": "class (:\n  def half(\n",
    "user.py": "from crlf import with_crlf\nwith_crlf(in_odd_path())\n",
}


def test_odd_files_harm_no_map(tmp_path: Path) -> None:
    built = RepositoryMap(tmp_path)
    built.update(dict.fromkeys(ODD, "s"), ODD.get)
    view = built.render(2_000, ODD.get, interest=Interest(held=frozenset({"user.py"})))
    assert "crlf.py:\n│def with_crlf(\n│    a,\n│):\n⋮\n" in view.text
    assert "│def in_odd_path(): pass\n" in view.text
    assert RepositoryMap(tmp_path).update(dict.fromkeys(ODD, "s"), ODD.get).changed <= {"tab\tname.py"}


def test_a_file_that_shrank_since_the_update_is_shown_as_far_as_it_goes() -> None:
    built = made(FILES)
    shorter = {path: text.split("\n")[0] for path, text in FILES.items()}
    assert built.render(1_000, shorter.get).tokens <= 1_000
    assert built.render(1_000, lambda path: None).text == ""
