import menu


def greet(guest):
    print("Welcome", guest)


def bill(dishes):
    print(menu.total(dishes))


def price(dish):
    return PRICES[dish]
