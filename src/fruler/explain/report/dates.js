"use strict";

// Dates in words, as in fruler._table.date_sources; null for an input that is not a date. All in UTC, so that the page
// shows the same in every time zone.
function writtenDate(source, number) {
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const dayOf = date => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  const clockOf = minutes => [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, "0")).join(":");

  // To the nearest whole number; a half is rounded to the even one.
  function rounded(value) {
    const below = Math.floor(value), rest = value - below;
    return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
  }

  if (source?.kind === "cycle") {
    const period = PERIODS[source.cycle];
    const rest = (number + source.start) % period;
    const place = rest < 0 ? rest + period : rest;
    if (source.cycle === "hour") return clockOf(rounded(place * 60) % (24 * 60));
    // Days are counted in a leap year.
    return dayOf(new Date(Date.UTC(2024, 0, 1 + (Math.floor(place + 1e-5) % 366))));
  }
  if (source?.kind === "time") {
    const seconds = source.unit === "hours" ? 30 : 1;
    const moment = new Date(Math.round(Date.parse(`${source.start}Z`) + 1000 * (number * UNIT_SECONDS[source.unit] + seconds)));
    if (!(moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999)) return `${number} ${source.unit}`;
    const day = `${dayOf(moment)} ${moment.getUTCFullYear()}`;
    return source.unit === "hours" ? `${day}, ${clockOf(60 * moment.getUTCHours() + moment.getUTCMinutes())}` : day;
  }
  return null;
}
