"""Names and strings quoted for SQL."""


def quoted_name(name: str) -> str:
    """Return the quoted name of a column or a table."""
    return '"' + name.replace('"', '""') + '"'


def quoted_string(value: str) -> str:
    """Return a quoted string literal."""
    return "'" + value.replace("'", "''") + "'"
