"""A counter of tokens as a program may bring one: each word is a token, and so is each sign and each run of blanks."""

import re


def words_and_signs(text: str, _language: str | None = None) -> int:
    return len(re.findall(r"\w+|\s+|[^\w\s]", text))
