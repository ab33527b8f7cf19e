SOUP = "Ärmel, Ç and naïve"
TEA = "mint"
