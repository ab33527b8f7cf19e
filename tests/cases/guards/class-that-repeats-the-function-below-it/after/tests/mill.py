import mill


def test_wind():
    speed = mill.speed()
    assert speed


def test_corn():
    corn = mill.corn()
    assert corn
