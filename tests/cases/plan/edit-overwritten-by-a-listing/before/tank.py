level = 0
volume = 10
name = "tank"
