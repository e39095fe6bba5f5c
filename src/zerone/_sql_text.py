"""Names and strings as SQL, whatever characters they have."""


def quoted_name(name: str) -> str:
    """Return the name of a column or a table."""
    return '"' + name.replace('"', '""') + '"'


def quoted_string(value: str) -> str:
    """Return a string literal."""
    return "'" + value.replace("'", "''") + "'"
