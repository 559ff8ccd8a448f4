"""Java's random numbers against those that Java itself gives for seed 42."""

from retree.java_random import JavaRandom


def test_numbers_are_those_of_java():
    random = JavaRandom(42)
    assert [random.integer() for _ in range(4)] == [-1170105035, 234785527, -1360544799, 205897768]
    # The last three bounds lead to draws that Java rejects.
    bounds = (10, 64, 1000003, *[2**30 + 1] * 3)
    found = [random.below(bound) for bound in bounds]
    assert found == [0, 60, 19720, 196118093, 969067502, 791955276]
    assert [random.share() for _ in range(2)] == [0.3816430907807956, 0.6904257605024213]
