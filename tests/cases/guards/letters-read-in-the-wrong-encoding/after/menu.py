SOUP = "leek"
TEA = "mint"
