"""Makes code to measure and to fuzz on: nine styles, any length, and the same for the same seed.

Owns no randomness of its own: whoever wants variety passes a `random.Random`. Every unit holds names and numbers that
no other has, beside lines that all units share, as real files do.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

NOUNS = (
    "order",
    "user",
    "cart",
    "invoice",
    "report",
    "ticket",
    "session",
    "device",
    "policy",
    "region",
    "batch",
    "token",
)
VERBS = ("load", "save", "merge", "split", "check", "render", "count", "queue", "verify", "export", "parse", "trim")


def name_of(number: int) -> str:
    """A name that belongs to one unit alone."""
    return f"{VERBS[number % len(VERBS)]}_{NOUNS[number // len(VERBS) % len(NOUNS)]}_{number}"


def python(number: int, rng: Random) -> str:
    """One function."""
    name, limit = name_of(number), rng.randrange(2, 9000)
    return f'''def {name}(items, limit={limit}):
    """Return what {name} keeps of the items."""
    kept = []
    for item in items:
        if item is None:
            continue
        if item.size > limit:
            raise ValueError("{name}: too large")
        kept.append(item.value * {rng.randrange(2, 90)})
    return kept


'''


def documented(number: int, rng: Random) -> str:
    """One class, with strings of several lines."""
    name = name_of(number)
    return f'''class {name.title().replace("_", "")}:
    """
    What {name} knows of the items.

    Loaded at most {rng.randrange(2, 9000)} times a day.
    """

    usage = """
        {name} --items FILE
        --limit {rng.randrange(2, 9000)}
    """

    def run(self, items):
        """
        Return what is kept.
        """
        try:
            return [item for item in items if item.size > {rng.randrange(2, 900)}]
        except ValueError:
            return None


'''


def typescript(number: int, rng: Random) -> str:
    """One exported function."""
    name = name_of(number)
    return f"""export async function {name}(input: Item[], options = {{ depth: {rng.randrange(1, 999)} }}) {{
  const found = new Map<string, number>();
  for (const item of input) {{
    if (!item.id) continue;
    found.set(`{name}:${{item.id}}`, item.size + {rng.randrange(1, 99)});
  }}
  return found;
}}

"""


def commented(number: int, rng: Random) -> str:
    """One type, with comments of several lines."""
    name = name_of(number)
    return f"""/**
 * What {name} is told.
 */
export interface {name.title().replace("_", "")} {{
    /**
     * How many items are kept, at most.
     * @default {rng.randrange(2, 9000)}
     */
    limit: number;
    /**
     * Asked before {name} drops an item.
     * @since v{rng.randrange(1, 20)}.{rng.randrange(20)}.0
     */
    keep?(item: Item, at: number): boolean;
}}

"""


def go(number: int, rng: Random) -> str:
    """One function, indented with tabs."""
    name = name_of(number).title().replace("_", "")
    return f"""// {name} walks the items once.
func {name}(items []Item) (int, error) {{
\ttotal := {rng.randrange(0, 999)}
\tfor _, item := range items {{
\t\tif item.Err != nil {{
\t\t\treturn 0, fmt.Errorf("{name}: %w", item.Err)
\t\t}}
\t\ttotal += item.Size * {rng.randrange(2, 99)}
\t}}
\treturn total, nil
}}

"""


def c(number: int, rng: Random) -> str:
    """One function."""
    name = name_of(number)
    return f"""static int {name}(struct item *items, size_t count)
{{
    int total = {rng.randrange(0, 999)};
    for (size_t i = 0; i < count; i++) {{
        if (items[i].flags & 0x{rng.randrange(16, 4096):x})
            continue;
        total += items[i].size * {rng.randrange(2, 99)};
    }}
    return total;
}}

"""


def yaml(number: int, rng: Random) -> str:
    """One service."""
    return f"""  {name_of(number)}:
    image: registry.example/{name_of(number)}:{rng.randrange(1, 99)}.{rng.randrange(0, 99)}
    restart: always
    environment:
      - MODE=production
      - LIMIT={rng.randrange(1, 9999)}
    ports:
      - "{rng.randrange(1024, 65000)}:80"

"""


def markdown(number: int, rng: Random) -> str:
    """One section."""
    name = name_of(number)
    return f"""## The `{name}` step

It’s run {rng.randrange(2, 99)} times – once per region – and keeps "what is left".

- **input**: the items of step {number - 1}
- **limit**: {rng.randrange(1, 9999)} items
- see [the notes](notes/{name}.md)

"""


def html(number: int, rng: Random) -> str:
    """One card."""
    name = name_of(number)
    return f"""    <section id="{name}" class="card">
      <h2>{name} &amp; friends</h2>
      <p>Shows {rng.randrange(2, 999)} items, &lt;none&gt; of them twice.</p>
      <ul>
        <li><a href="/{name}/all">All</a></li>
        <li><a href="/{name}/new?limit={rng.randrange(2, 999)}">New</a></li>
      </ul>
    </section>

"""


Unit = Callable[[int, Random], str]

STYLES: dict[str, tuple[str, Unit]] = {
    "python": ("py", python),
    "documented": ("py", documented),
    "typescript": ("ts", typescript),
    "commented": ("ts", commented),
    "go": ("go", go),
    "c": ("c", c),
    "yaml": ("yaml", yaml),
    "markdown": ("md", markdown),
    "html": ("html", html),
}


def units(style: str, count: int, rng: Random, first: int = 0) -> list[str]:
    """`count` units of one style, each with a name of its own, numbered from `first`."""
    _, unit = STYLES[style]
    return [unit(number, rng) for number in range(first, first + count)]


def code(style: str, lines: int, rng: Random) -> str:
    """A text of one style with at least `lines` lines."""
    _, unit = STYLES[style]
    pieces: list[str] = []
    held = number = 0
    while held < lines:
        piece = unit(number, rng)
        pieces.append(piece)
        held += piece.count("\n")
        number += 1
    return "".join(pieces)
