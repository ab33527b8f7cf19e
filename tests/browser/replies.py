"""Replies and files for the browser tests."""

from __future__ import annotations

from pathlib import Path

TILL = '''"""A small till."""

RATE = 0.2


def total(prices):
    """Sum of all prices, with tax."""
    result = 0
    for price in prices:
        result += price * (1 + RATE)
    return result


def receipt(prices):
    """Lines of a receipt."""
    lines = [f"{price:>8}" for price in prices]
    lines.append(f"total {total(prices)}")
    return lines
'''

STOCK = """export interface Item {
  name: string;
  count: number;
}

export function take(items: Item[], name: string): Item | null {
  for (const item of items) {
    if (item.name === name && item.count > 0) {
      item.count -= 1;
      return item;
    }
  }
  return null;
}

export function total(items: Item[]): number {
  return items.reduce((sum, item) => sum + item.count, 0);
}
"""


def edit(path: str, search: str, replace: str) -> str:
    """One block of the format `diff`."""
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"


def shop(folder: Path) -> None:
    """A small project."""
    (folder / "web").mkdir()
    (folder / "till.py").write_text(TILL)
    (folder / "web" / "stock.ts").write_text(STOCK)
    (folder / "README.md").write_text("# Shop\n\nA till and a stock list.\n")


FIVE = "\n".join(
    [
        "I round the totals, and keep the stock from going below zero. See `till.py` and web/stock.ts.\n",
        edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"),
        edit(
            "till.py",
            "    result = 0\n    for price in prices:\n        result += price * (1 + RATE)\n    return result\n",
            "    return round(sum(prices) * (1 + RATE), 2)\n",
        ),
        "The receipt shows two digits:\n",
        edit(
            "till.py",
            '    lines.append(f"total {total(prices)}")\n',
            '    lines.append(f"total {total(prices):.2f}")\n',
        ),
        edit(
            "web/stock.ts",
            "    if (item.name === name && item.count > 0) {\n      item.count -= 1;\n",
            "    if (item.name === name && item.count >= 1) {\n      item.count -= 1;\n",
        ),
        edit("web/prices.ts", "", "export const RATE = 0.19;\n"),
        "Afterwards you may want to run:\n\n```bash\ngit mv till.py shop_till.py\n```\n",
    ]
)
"""Five edits in three files: one new, and a command."""

MOVES = """The till moves, and the notes get another name.

*** Begin Patch
*** Update File: till.py
*** Move to: shop/cash.py
@@
-RATE = 0.2
+RATE = 0.19
*** Update File: README.md
*** Move to: docs/README.md
*** End Patch
"""
"""Two renames, one with an edit."""
