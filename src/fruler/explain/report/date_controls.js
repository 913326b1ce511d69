"use strict";

// One control per column of dates, which sets all inputs of the column: the elapsed time, the day of the year, the hour
// and the weekday. `columns` has the numbers of these inputs.
function makeDateControls(ruleBase, columns) {
  const DAY = 86400000, MINUTE = 60000;
  const dates = columns.map(inputs => {
    const element = document.querySelector(`.date[data-inputs="${inputs.join(" ")}"]`);
    const box = element.querySelector(".date-box");
    return { inputs, box, note: element.querySelector(".date-note"), withTime: box.type === "datetime-local" };
  });
  const sourceOf = j => ruleBase.inputs[j].source;
  const ofKind = (inputs, test) => inputs.find(j => test(sourceOf(j)));

  // Whether all inputs of a column agree with a moment.
  function agrees(inputs, row, moment) {
    return inputs.every(j => {
      const number = dateNumber(sourceOf(j), moment / 1000);
      if (sourceOf(j).kind === "weekday") return number === row[j];
      return writtenDate(sourceOf(j), number) === writtenDate(sourceOf(j), row[j]);
    });
  }

  // Days that fit the inputs, the likeliest first: the day of the elapsed time, the same day of several years, or any
  // weekday.
  function daysOf(inputs, row) {
    const time = ofKind(inputs, source => source.kind === "time");
    const day = ofKind(inputs, source => source.kind === "cycle" && source.cycle !== "hour");
    if (time !== undefined) {
      const { start, unit } = sourceOf(time);
      const passed = row[time] * UNIT_SECONDS[unit] * 1000;
      return [Math.floor((Date.parse(`${start}Z`) + passed + 1000) / DAY) * DAY];
    }
    if (day === undefined) return Array.from({ length: 7 }, (_, k) => Date.UTC(2024, 0, 1 + k));
    const place = Math.floor(((row[day] + sourceOf(day).start) % 366) + 1e-5);
    const inLeapYear = new Date(Date.UTC(2024, 0, 1 + place));
    const years = Array.from({ length: 28 }, (_, k) => 2024 - k);
    return years.map(year => Date.UTC(year, inLeapYear.getUTCMonth(), inLeapYear.getUTCDate()));
  }

  function momentsOf({ inputs, withTime }, row) {
    if (!withTime) return daysOf(inputs, row);
    const hour = ofKind(inputs, source => source.kind === "cycle" && source.cycle === "hour");
    const time = ofKind(inputs, source => source.kind === "time");
    let ofDay = 0;
    if (hour !== undefined) ofDay = (Math.round((row[hour] + sourceOf(hour).start) * 60) * MINUTE) % DAY;
    else if (time !== undefined) ofDay = Math.round((row[time] * 3600000 + Date.parse(`${sourceOf(time).start}Z`)) / MINUTE) * MINUTE % DAY;
    return daysOf(inputs, row).map(day => day + ((ofDay % DAY) + DAY) % DAY);
  }

  function set(row, inputs, moment) {
    for (const j of inputs) {
      const number = dateNumber(sourceOf(j), moment / 1000);
      if (!Number.isNaN(number)) row[j] = number;
    }
  }

  // Set the inputs of a column to one date, if no date has all of their values.
  function settle(row) {
    for (const date of dates) {
      const moments = momentsOf(date, row);
      if (!moments.some(moment => agrees(date.inputs, row, moment))) set(row, date.inputs, moments[0]);
    }
  }

  function show(row) {
    for (const date of dates) {
      const found = momentsOf(date, row).find(moment => agrees(date.inputs, row, moment));
      const valid = found !== undefined && Number.isFinite(found) && Math.abs(found) < 8e15;
      if (document.activeElement !== date.box) date.box.value = valid ? new Date(found).toISOString().slice(0, date.withTime ? 16 : 10) : "";
      date.note.hidden = valid;
    }
  }

  // Call `change(inputs, edit)` whenever a user sets a date; `edit(row)` sets it in a row.
  function listen(change) {
    for (const { inputs, box } of dates) {
      box.addEventListener("input", () => {
        const moment = Date.parse(`${box.value}Z`);
        if (Number.isFinite(moment)) change(inputs, row => set(row, inputs, moment));
      });
    }
  }

  return { settle, show, listen };
}
