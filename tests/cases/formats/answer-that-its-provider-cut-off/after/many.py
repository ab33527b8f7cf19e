first()
second()
third()
