def poll(ports):
    for port in ports:
        if port.open:
            line = port.read()
            yield line
            if port.waits:
                port.wait()
                continue


def close(ports):
    for port in ports:
        port.close()
