size = 1
open = 9
