import menu


def greet(guest):
    print("Welcome to the kiosk,", guest)


def bill(dishes):
    print(sum(map(menu.price, dishes)))
