import os
import sys
import json


@cached
def load(path, limit):
    rows = read(path)
    return rows
