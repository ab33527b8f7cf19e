"""Gives grammars texts that nest, repeat or are junk: none may crash one, or take it seconds of the processor.

    python bench/grammars.py [LANGUAGE ...] [--quick]

A crash ends this process: the last language printed is the last that was sound. Without languages, all are tried.
`--quick` tries short texts only, and judges no seconds; tests/syntax uses it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator

from dovetail.syntax.parsing import GRAMMARS, parse

MOST_SECONDS = 5
NESTS = [
    ("(", ")"), ("[", "]"), ("{", "}"), ("{\n", "}\n"), ("f(){ if (a) {\n", "}}"), ("<a>", "</a>"), ("<div>", ""),
    ("- ", ""), ("? ", ""), ("> ", ""), (">", ""), ("* ", ""), ("1. ", ""), ("*", ""), ("_", ""), ("`", ""), ("#", ""),
    ("a => ", ""), ("a =>\n", ""), ("-> ", ""), ("/-", ""), ("{-", ""), ("/*", ""), ("%w(", ""), ("%q{", ""),
    ("A<", ""), ("$(", ")"), ("${", "}"), ('"${', '}"'), ("`${", "}`"), ("f'{", "}'"), ("if(a){}else ", ""),
    ("if x then\n", ""), ("begin ", "end "), ("do\n", "end\n"), ("!", ""), ("1+", "1"), ("a.", "b"), ("f()", ""),
    ("a?b:", "c"), ("a: ", ""), ("case x of\n", ""), ("= a\n== b\n", ""), ("&a ", ""), ("{% if x %}", ""),
    ("\\begin{a}", ""), ("@a(", ")"), ("R'a(", ""), ("<<A ", ""), ("\0", ""), ("\f", ""), ("\r", ""), ("\t", ""),
    ("x\ty\n", ""), ("#{", "}"),
]  # fmt: skip
STEPS = ((1, "if x:"), (1, "k:"), (2, "- a"), (1, "-"), (1, "let do x ="), (2, "* a"), (1, ".. a::\n"))
SIGNS = ("=>", "= %", "=> &&", "=", "?", "->", "-> &&", "=> (T)", "= <-", "(T) =>")
JUNK = "(){}[]<>\"'`$|&;# \nabc=!~*-+\\:.,%@/0"


def texts(quick: bool) -> Iterator[str]:
    """What is tried: near the guard's limits, and beyond them."""
    for opening, closing in NESTS:
        for times in (190,) if quick else (45, 190, 450, 6_000):
            yield (opening * times + closing * times)[:60_000]
    for step, line in STEPS:
        yield "".join(" " * step * depth + line + "\n" for depth in range(95 if quick else 450))
    for sign in SIGNS:
        for names in (100,) if quick else (390, 2_500):
            yield " ".join(f"a{number} {sign}" for number in range(names))
    yield "<<" + "A" * 5_000 + "\n"
    yield "".join(f"<<A{number} " for number in range(500))
    yield "".join(f"<t{number}>" for number in range(195 if quick else 3_000))
    for seed in range(1 if quick else 3):
        yield "".join(random.Random(seed).choices(JUNK, k=2_000 if quick else 20_000))  # noqa: S311 - seeded


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    tried = dict.fromkeys(texts(options.quick))
    for language in options.languages or sorted(GRAMMARS):
        for text in tried:
            before = time.thread_time()
            parse(language, text)
            spent = time.thread_time() - before
            if spent > MOST_SECONDS and not options.quick:
                print(f"{language}: {spent:.1f} s for {len(text)} characters, {text[:20]!r}…")
                return 1
        print(language, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
