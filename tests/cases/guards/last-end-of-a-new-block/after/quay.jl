function moor(ship)
    if ship.free
    if ship.long
        tie(ship)
    end
    end
end
