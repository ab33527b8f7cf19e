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

    - one: what one means to those who read it, told at some length
    - two: what two means to those who read it, told at some length
    - three: what three means to those who read it, told at some length
    - four: what four means to those who read it, told at some length
    - five: what five means to those who read it, told at some length
    - six: what six means to those who read it, told at some length
    - seven: what seven means to those who read it, told at some length
    - eight: what eight means to those who read it, told at some length
    - nine: what nine means to those who read it, told at some length
    - ten: what ten means to those who read it, told at some length
    - eleven: what eleven means to those who read it, told at some length
    - twelve: what twelve means to those who read it, told at some length
    - thirteen: what thirteen means to those who read it, told at some length
    - fourteen: what fourteen means to those who read it, told at some length
    - fifteen: what fifteen means to those who read it, told at some length
    - sixteen: what sixteen means to those who read it, told at some length
    - seventeen: what seventeen means to those who read it, told at some length
    - eighteen: what eighteen means to those who read it, told at some length
    - nineteen: what nineteen means to those who read it, told at some length
    - twenty: what twenty means to those who read it, told at some length

    .. versionchanged:: 2.1
       Counts from 2.
    """
    taken = set(taken)
    if name not in taken:
        return name
    number = 1
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
