def boil(kettle, cups):
    """Boils water for some cups."""
    water = kettle.fill(cups)
    # a cup more, for what is lost as steam
    spare = kettle.fill(1)
    return kettle.heat(water + spare)
