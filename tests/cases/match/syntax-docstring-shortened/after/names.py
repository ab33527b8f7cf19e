def plain_name(name: str) -> str:
    r"""Make a name that any file system takes.

    Letters with accents lose them, and what is left beside letters and digits becomes a dash.

    :param name: what a person typed.
    """
    # an empty name is no name
    if not name:
        return "unnamed"
    name = without_accents(name)
    return SIGNS.sub("-", name).strip("-")


def numbered(name: str, taken: Collection[str]) -> str:
    """Make a name that is not taken.

    .. versionchanged:: 2.1
       Counts from 2.
    """
    if name not in taken:
        return name
    number = 1
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
