rate = 1
tax = rate * 2
print(rate)
