size = 2
open = 8
