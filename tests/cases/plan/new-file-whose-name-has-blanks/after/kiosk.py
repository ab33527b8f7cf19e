size = 2
open = 9
