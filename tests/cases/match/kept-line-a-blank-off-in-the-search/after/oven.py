def bake(oven, loaves):
    oven.heat(230)
    oven.steam()
    for loaf in loaves:
        if loaf.risen:
            oven.place(loaf)
            oven.turn(loaf)
    oven.wait(40)
    return loaves
