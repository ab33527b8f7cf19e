DRINKS = ["tea", "mate"]
CAKES = ["plum", "nut"]
