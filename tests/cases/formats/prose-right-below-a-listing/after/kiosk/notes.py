UNKNOWN = "costs nothing"
