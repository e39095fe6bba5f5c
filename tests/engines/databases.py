"""Tables in databases: how tests fill them, and what their moments should be."""

import pandas as pd

from zerone import Moments

try:
    import psycopg
except ImportError:  # which only the tests of PostgreSQL need
    psycopg = None

TYPES = {"f": "double precision", "i": "bigint", "b": "boolean", "O": "text"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Database:
    """A connection, and how to fill tables through it."""

    def __init__(self, connection, placeholder="?"):
        self.connection = connection
        self.placeholder = placeholder

    @property
    def is_postgres(self):
        return self.placeholder == "%s"

    def load(self, frame, name="rows", types=None):
        """Make a table of a frame."""
        types = {c: TYPES[frame[c].dtype.kind] for c in frame} | (types or {})
        listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        self.execute(f"CREATE TABLE {quoted(name)} ({listed})")
        rows = [
            [None if cell is pd.NA or cell is None else cell for cell in row]
            for row in frame.astype(object).itertuples(index=False, name=None)
        ]
        query = f"INSERT INTO {quoted(name)} VALUES ({', '.join([self.placeholder] * len(types))})"
        with self.connection.cursor() as cursor:
            cursor.executemany(query, rows)

    def execute(self, query):
        self.connection.execute(query)


def numbers(rng, n=200, d=4, classes=2):
    frame = pd.DataFrame(rng.normal(size=(n, d)) + 3, columns=[f"x{i}" for i in range(d)])
    return frame.assign(y=rng.integers(0, classes, n))


def expected(frame, weight=None):
    X = frame.drop(columns=["y"] if weight is None else ["y", weight])
    return Moments.from_data(
        X.astype(float), frame["y"], sample_weight=None if weight is None else frame[weight]
    )
