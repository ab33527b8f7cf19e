import sys

level = 0
