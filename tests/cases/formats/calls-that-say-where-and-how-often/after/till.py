price = 1
tax = price * 2
print(price)
