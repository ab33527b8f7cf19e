import os
import sys

level = 0
