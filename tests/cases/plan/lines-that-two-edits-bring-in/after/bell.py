import os
import time
import logging
import sys


def ring(times, pause=1.0):
    time.sleep(pause)
    sys.stdout.write("dong " * times)
    return os.linesep
