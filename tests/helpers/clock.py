"""A clock that a test moves."""


class Clock:
    """What `time.monotonic` says: it stands still but for what the test adds to it, and a tick at every reading.

    A search reads it whenever it begins something new, so that with a tick work takes time, on every machine the same.

    Attributes
    ----------
    now : float
        What it says.
    tick : float
        The seconds that pass with every reading.
    """

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 1000.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now
