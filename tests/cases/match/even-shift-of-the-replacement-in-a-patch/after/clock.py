class Clock:
    def now(self):
        return time.time()

def parse(text):
    hours, minutes = text.split(":")
    check(hours, minutes)
    return int(hours) * 60 + int(minutes)
