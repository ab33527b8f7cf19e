def a():
    ring()

    ring()
