class Gate:
    """
    A gate of the town.

    Open from dawn on.

    keeper = """
    Two men.
    """
