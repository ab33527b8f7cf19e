class Clock:
    def now(self):
        return time.time()

    def parse(text):
        hours, minutes = text.split(":")
        return int(hours) * 60 + int(minutes)
