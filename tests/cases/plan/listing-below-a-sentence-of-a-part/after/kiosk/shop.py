import menu


def greet(guest):
    print("Welcome", guest)


def bill(dishes):
    print("Please pay:")
    print(sum(map(menu.price, dishes)))
