import string


class Slug:
    def of(self, title):
        return title.lower()


class Page:
    def __init__(self, title):
        self.title = title
        self.slug = Slug().of(title)
