import menu


def greet(guest):
    print(f"Welcome, {guest}!")


def bill(dishes):
    print(sum(map(menu.price, dishes)))
