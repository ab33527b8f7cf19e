PITCH = {"岁": 440.0}


def tune(piano):
    """Tune all strings of a piano, the deepest first."""
    for string in piano.strings[2:]:
        string.tune(PITCH[string.name])
    return piano
