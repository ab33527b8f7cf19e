import os
import sys
import json


@cached
def load(path):
    rows = read(path, 1)
    return rows
