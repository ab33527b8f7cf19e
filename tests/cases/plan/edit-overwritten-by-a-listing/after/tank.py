level = 1
name = "tank"
