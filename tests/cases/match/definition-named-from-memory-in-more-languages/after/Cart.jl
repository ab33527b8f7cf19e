module Cart

function total(items; discount=0.0)
    sum = 0.0
    for item in items
        sum += item.price * item.quantity
    end
    return sum * (1 - discount)
end

add!(items, item) = push!(items, item)

end
