function moor(ship)
    if ship.free
    tie(ship)
    end
end
