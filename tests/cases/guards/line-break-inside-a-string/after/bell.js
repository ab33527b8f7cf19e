ring("one")
