import pytest
from pump import flow


def test_flow_0():
    assert flow(0) == 0


def test_flow_1():
    assert flow(1) == 1


def test_flow_2():
    assert flow(2) == 2


def test_flow_3():
    assert flow(3) == 3


def test_flow_4():
    assert flow(4) == 4


def test_flow_5():
    assert flow(5) == 5


def test_flow_6():
    assert flow(6) == 6


def test_flow_7():
    assert flow(7) == 7


def test_flow_8():
    assert flow(8) == 8


def test_flow_9():
    assert flow(9) == 9


def test_flow_10():
    assert flow(10) == 10


def test_flow_11():
    assert flow(11) == 11


def test_flow_12():
    assert flow(12) == 12


def test_flow_13():
    assert flow(13) == 13
