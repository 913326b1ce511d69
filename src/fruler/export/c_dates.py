"""The inputs of rules that come from dates, in C: a date is a number of seconds since 1970 began."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fruler.table.date_sources import SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource, no_such_source
from fruler.table.sources import Source

_WITHIN = """
/* Where a number lies in a cycle, from 0 to its length. */
static double within(double place, double period)
{
    return place - period * floor(place / period);
}
"""

_DAY_OF_YEAR = """
/* The days since 1 January, with a 29 February in every year. */
static double day_of_year(double seconds)
{
    /* Days since a 1 March, in years of 400, which repeat themselves. */
    const double day = within(floor(seconds / 86400.0) + 719468.0, 146097.0);
    const double leap = floor(day / 1460.0) - floor(day / 36524.0) + floor(day / 146096.0);
    const double year = floor((day - leap) / 365.0);
    const double of_year = day - (365.0 * year + floor(year / 4.0) - floor(year / 100.0));
    return within(of_year + 60.0, 366.0) + within(seconds, 86400.0) / 86400.0;
}
"""

_WEEKDAY = """
/* The number of a weekday, from Monday to Sunday, NAN if it is not known. */
static double weekday(double seconds, const double *numbers)
{
    return isnan(seconds) ? NAN : numbers[(int)within(floor(seconds / 86400.0) + 3.0, 7.0)];
}
"""


def date_functions(sources: Sequence[tuple[int, Source]]) -> Iterable[str]:
    """Return the functions and tables that make inputs of dates."""
    own = [source for _, source in sources]
    if any(isinstance(source, CycleSource | WeekdaySource) for source in own):
        yield _WITHIN
    if any(isinstance(source, CycleSource) and source.cycle == "day of year" for source in own):
        yield _DAY_OF_YEAR
    if any(isinstance(source, WeekdaySource) for source in own):
        yield _WEEKDAY
    for feature, source in sources:
        if isinstance(source, WeekdaySource):
            numbers = ", ".join("NAN" if number is None else repr(number) for number in source.week)
            yield f"\nstatic const double weekdays_{feature}[] = {{{numbers}}};\n"


def date_value(source: DateSource, value: str, feature: int) -> str:
    """Return the input that comes from a date."""
    match source:
        case TrendSource():
            return f"({value} - {source.start_seconds!r}) / {SECONDS[source.unit]!r}"
        case CycleSource(cycle="hour"):
            return f"within({value} / 3600.0 - {source.start!r}, 24.0)"
        case CycleSource():
            return f"within(day_of_year({value}) - {source.start!r}, 366.0)"
        case WeekdaySource():
            return f"weekday({value}, weekdays_{feature})"
    raise no_such_source(source)
