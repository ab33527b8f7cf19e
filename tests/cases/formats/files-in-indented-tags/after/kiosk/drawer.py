class Drawer:
    coins = 0
