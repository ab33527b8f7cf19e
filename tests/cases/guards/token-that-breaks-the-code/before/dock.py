def run(dock):
    dock.gate = "open"
