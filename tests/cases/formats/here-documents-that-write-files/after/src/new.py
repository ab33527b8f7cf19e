price = "$5"
