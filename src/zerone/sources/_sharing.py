"""How classes share the place that a sample has: rare ones are kept whole."""

from collections.abc import Sequence


def shared_places(sizes: Sequence[int], places: int) -> list[int]:
    """Return how many rows of each class a sample has: as equal as can be, none more than it has.

    >>> shared_places([1000, 3, 80], 100)
    [49, 3, 48]
    """
    shares = [0] * len(sizes)
    by_size = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for number, index in enumerate(by_size):
        shares[index] = min(sizes[index], places // (len(by_size) - number))
        places -= shares[index]
    return shares
