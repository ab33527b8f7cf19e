import os


def main():
    run(os)
    stop(2)
