def a():
    ring()

    ring(2)
