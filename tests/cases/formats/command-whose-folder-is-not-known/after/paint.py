colour = "red"
size = 3
