OPEN, CLOSE = "<|im_start|>", "<|im_end|>"


def answer(text):
    return text.rpartition("</think>")[2]
