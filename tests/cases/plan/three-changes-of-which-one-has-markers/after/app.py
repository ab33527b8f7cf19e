import os


def main():
    run(os)
    stop(1)
