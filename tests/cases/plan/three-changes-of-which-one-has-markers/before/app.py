import os


def main():
    run(os)
    stop()
