def main():
    run()
    stop()
