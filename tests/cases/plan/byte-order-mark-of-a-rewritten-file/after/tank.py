import os

level = 1
