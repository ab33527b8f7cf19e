def hi(name):
    # 你好，世界
    return print("你好，" + name)
