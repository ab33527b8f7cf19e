def sum(cost):
    λ_max, Δx = 1, "сost"
