crane = 1
lift(crane)
