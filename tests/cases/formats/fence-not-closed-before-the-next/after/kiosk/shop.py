import menu


def greet(guest):
    print("Hello", guest)


def bill(dishes):
    print(menu.total(dishes))
