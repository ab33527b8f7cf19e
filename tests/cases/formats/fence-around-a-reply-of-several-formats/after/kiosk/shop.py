import menu


def greet(guest):
    print("Good day", guest)


def bill(dishes):
    print(menu.total(dishes))
