DISHES = []
