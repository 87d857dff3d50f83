"""Questions in SQL, answered by DuckDB, which sees two tables and no file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pandas as pd

from linerate.campaigns.listing import Broken, Listing, notes_of, whole_parts
from linerate.campaigns.manifest import Manifest
from linerate.campaigns.parts import table_of
from linerate.campaigns.places import EXTRA, Place
from linerate.campaigns.reading import broken_parts
from linerate.errors import BadInputError, bad_input, cannot_here

if TYPE_CHECKING:
    import duckdb

CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "lock_configuration": "true",
}
"""No file, no address, no extension, no variable of this program, and no way to ask for them."""
ALLOWED = "one question: select ... from runs, campaigns"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """Rows that answer a question, and what could not be asked."""

    table: pd.DataFrame
    notes: tuple[str, ...]


def answer(place: Place, listing: Listing, sql: str) -> Answer:
    """Answer a question over the campaigns that are whole.

    Parameters
    ----------
    place
        Where the store is.
    listing
        Its campaigns.
    sql
        One ``select``; ``runs`` has every column of every campaign and ``campaign_id``,
        ``campaigns`` what the store knows of each.

    Raises
    ------
    BadInputError
        Another kind of statement, or one that DuckDB refuses.
    CannotHereError
        DuckDB is not installed.
    """
    if find_spec("duckdb") is None:
        raise cannot_here("duckdb", why="it answers SQL, and is not installed", do=EXTRA)
    import duckdb

    whole, broken = whole_parts(place, listing.manifests)
    spoiled: tuple[Broken, ...] = ()
    try:
        table = _asked(place, whole, listing, sql)
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException,
            duckdb.PermissionException) as error:  # fmt: skip
        raise _refused(sql, error) from error
    except (duckdb.Error, UnicodeDecodeError) as error:
        spoiled = broken_parts(place, whole)
        if not spoiled:
            raise _refused(sql, error) from error
        paths = {one.path for one in spoiled}
        table = _asked(place, [one for one in whole if one.part not in paths], listing, sql)
    return Answer(table=table, notes=tuple(notes_of((*listing.broken, *broken, *spoiled))))


def _asked(
    place: Place, manifests: Sequence[Manifest], listing: Listing, sql: str
) -> pd.DataFrame:  # fmt: skip
    import duckdb

    with duckdb.connect(":memory:", config=CLOSED) as database:
        database.register("runs", table_of(place, manifests))
        database.register("campaigns", listing.table)
        _check_question(database, sql)
        return database.execute(sql).df()


def _check_question(database: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse what is not a single question; what a question may reach is decided by ``CLOSED``."""
    kinds = [str(one.type).rpartition(".")[2] for one in database.extract_statements(sql)]
    if kinds not in (["SELECT"], ["EXPLAIN"]):
        raise bad_input(
            "sql", sql, why=f"it is {' and '.join(kinds) or 'empty'}: a store is only read",
            allowed=ALLOWED, do="ask one question; linerate store add changes a store",
        )  # fmt: skip


def _refused(sql: str, error: Exception) -> BadInputError:
    first, *more = str(error).splitlines() or [type(error).__name__]
    why = " ".join([first, *(line.strip() for line in more if "Candidate" in line)])
    return bad_input("sql", sql, why=why, allowed=ALLOWED, do="see the columns by 'describe runs' "
                     "or 'describe campaigns'")  # fmt: skip
