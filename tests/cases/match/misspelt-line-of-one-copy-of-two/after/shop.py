class Cart:
    """What is bought."""

    def total(self):
        """
        Add up what is in the cart.
        """
        try:
            return sum(item.price for item in self.items)
        except TypeError:
            return None


limit = 40
        """
        try:
            return sum(item.price for item in self.items)
        except TypeError:
            return None


class Order(Cart):
    pass
