import menu


def greet(guest):
    print("Welcome,", guest)


def thank(guest):
    print("Thank you", guest)


def bill(dishes):
    print(sum(map(menu.price, dishes)))
