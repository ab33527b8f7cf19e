HARBOURS = {
    "north": Harbour(depth=9, berths=4),
    "south": Harbour(depth=7, berths=2),
    "island": Harbour(depth=4, berths=1),
}
