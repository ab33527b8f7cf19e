import string

# What stands in an address is no slug yet.
ALPHABET = string.ascii_lowercase


class Slug:
    def of(self, title):
        return title.lower()


class Page:
    def __init__(self, title):
        self.title = title
        self.slug = Slug().of(title)
