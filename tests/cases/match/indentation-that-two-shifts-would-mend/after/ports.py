class Port:
    def number(self):
        return self.device.number
    try:
        backend = load("usb")
        except ImportError:
            backend = None
