"""The inputs of rules that come from dates, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fruler.table.date_formats import DateFormat
from fruler.table.date_sources import SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource, no_such_source
from fruler.table.sources import Source

_SECONDS = r'''

def _seconds(value, zone="", order="ymd"):
    """Return the seconds since 1970 began, by the clock of a zone, NaN where there is no date."""
    if _is_missing(value):
        return math.nan
    if isinstance(value, str):
        value = _date(value.strip(), order)
    elif not isinstance(value, datetime.date):
        raise ValueError(f"a date is needed; got {value!r}")
    elif not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if (value.tzinfo is not None) != bool(zone):
        raise ValueError(f"dates must have {'a' if zone else 'no'} time zone; got {value}")
    if zone and zone != "as written":
        value = value.astimezone(zoneinfo.ZoneInfo(zone))
    return (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)).total_seconds()


def _date(text, order):
    """Return the date that is written."""
    pattern = r"(\d+)[-/.](\d+)(?:[-/.](\d+))?(?:[T ](\d+):(\d+)(?::(\d+)(?:[.,]\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?"
    match = re.fullmatch(pattern, text)
    if match is None or order == "ymd" and len(match[1]) != 4:
        raise ValueError(f"a date is written as 2024-12-31; got {text!r}")
    *numbers, zone = match.groups()
    first, second, third, hour, minute, second_of_minute = (int(number or 0) for number in numbers)
    if len(match[1]) == 4:
        year, month, day = first, second, third or 1
    else:
        year, month, day = (third, second, first) if order == "dmy" else (third, first, second)
    zoned = datetime.datetime.strptime(zone, "%z").tzinfo if zone else None
    return datetime.datetime(year, month, day, hour, minute, second_of_minute, tzinfo=zoned)
'''

_DAY_OF_YEAR = '''

def _day_of_year(seconds):
    """Return the days since 1 January, with a 29 February in every year."""
    if math.isnan(seconds):
        return math.nan
    day, of_day = divmod(seconds, 86400.0)
    # Days since a 1 March, in years of 400, which repeat themselves.
    day = int(day + 719468) % 146097
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    return (day - (365 * year + year // 4 - year // 100) + 60) % 366 + of_day / 86400.0
'''

_WEEKDAY = '''

def _weekday(seconds, numbers):
    """Return the number of a weekday, from Monday to Sunday, NaN where it is unknown."""
    return math.nan if math.isnan(seconds) else numbers[int(seconds // 86400.0 + 3) % 7]
'''


def date_modules(sources: Sequence[Source]) -> list[str]:
    """Return the modules that dates need."""
    own = [source.dates for source in sources if isinstance(source, DateSource)]
    return (["datetime", "re"] if own else []) + (["zoneinfo"] if any(dates.zone for dates in own) else [])


def date_functions(sources: Sequence[Source]) -> Iterable[str]:
    """Return the functions that make inputs of dates; they need ``_is_missing``."""
    if any(isinstance(source, DateSource) for source in sources):
        yield _SECONDS
    if any(isinstance(source, CycleSource) and source.cycle == "day of year" for source in sources):
        yield _DAY_OF_YEAR
    if any(isinstance(source, WeekdaySource) for source in sources):
        yield _WEEKDAY


def date_value(source: DateSource, value: str) -> str:
    """Return the input that comes from a date."""
    seconds = f"_seconds({value}{_options(source.dates)})"
    match source:
        case TrendSource():
            return f"({seconds} - {source.start_seconds!r}) / {SECONDS[source.unit]!r}"
        case CycleSource(cycle="hour"):
            return f"({seconds} % 86400.0 / 3600.0 - {source.start!r}) % 24.0"
        case CycleSource():
            return f"(_day_of_year({seconds}) - {source.start!r}) % 366.0"
        case WeekdaySource():
            numbers = ", ".join("math.nan" if number is None else repr(number) for number in source.week)
            return f"_weekday({seconds}, ({numbers}))"
    raise no_such_source(source)


def _options(dates: DateFormat) -> str:
    zone = f", zone={dates.zone!r}" if dates.zone else ""
    return zone + (f", order={dates.order!r}" if dates.order != "ymd" else "")
