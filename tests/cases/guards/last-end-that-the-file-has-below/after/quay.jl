function moor(ship)
    ship.rope = 1
end
