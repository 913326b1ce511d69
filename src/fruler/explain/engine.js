"use strict";

// A model in JavaScript: predictions and explanations by the same steps, in the same order, as in fruler.rules, so that
// both give the same numbers. This file is in every exported module and in the page of every report.

const MISSING = Symbol("missing");
const DAY_SECONDS = 86400;
const UNIT_SECONDS = { years: 365.2425 * DAY_SECONDS, days: DAY_SECONDS, hours: 3600 };
const PERIODS = { "day of year": 366, hour: 24 };
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

// A value of a row without the white space that Python strips; MISSING if there is none.
function valueOf(value) {
  if (typeof value === "string") value = value.replace(/^[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g, "");
  const missing = value === undefined || value === null || value === "" || Number.isNaN(value) || (value instanceof Date && Number.isNaN(value.getTime()));
  return missing ? MISSING : value;
}

function numberOf(value, column) {
  if (value === MISSING) return NaN;
  const isNumber = typeof value === "number" || typeof value === "bigint" || (typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value));
  const number = isNumber ? Number(value) : NaN;
  if (!Number.isFinite(number)) throw new Error(`column ${JSON.stringify(column)} needs a finite number, or null; got ${String(value)}`);
  return number;
}

// The number of a category; NaN if it is missing or unknown. Truth values may be in any case.
function levelOf(value, { numbers, anyCase }) {
  if (value === MISSING) return NaN;
  const text = value === true ? "True" : value === false ? "False" : typeof value === "number" ? String(Number(value.toPrecision(15))) : String(value);
  return numbers.get(anyCase ? text.toLowerCase() : text) ?? NaN;
}

// The seconds from the start of 1970 to the time on a clock, whose fields are counted as Date.UTC counts them.
function secondsTo(year, month, day, hour = 0, minute = 0, second = 0) {
  const moment = new Date(0);
  moment.setUTCFullYear(year, month, day);
  moment.setUTCHours(hour, minute, second);
  const kept = [moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate(), moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds()];
  return kept.every((part, k) => part === [year, month, day, hour, minute, second][k]) ? moment.getTime() / 1000 : NaN;
}

// What the clock of a time zone shows, at a number of seconds since the start of 1970 in UTC.
function clockOf(seconds, zone) {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
  const shown = Object.fromEntries(format.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, Number(value)]));
  return secondsTo(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second);
}

// The seconds from the start of 1970 to a date, on the clock of the dates that the model was learned from.
function secondsOf(value, { zone = "", order = "ymd" }, column) {
  if (value === MISSING) return NaN;
  const named = zone !== "" && zone !== "as written";
  const wrong = what => new Error(`column ${JSON.stringify(column)} needs ${what}; got ${String(value)}`);
  if (value instanceof Date) {
    if (named) return clockOf(value.getTime() / 1000, zone);
    throw wrong("dates as text, such as \"2024-12-31\", which have no time zone of their own");
  }
  const parts = /^(\d+)[-/.](\d+)(?:[-/.](\d+))?(?:[T ](\d+):(\d+)(?::(\d+)(?:[.,]\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/.exec(String(value));
  if (!parts || (order === "ymd" && parts[1].length !== 4)) throw wrong("dates such as \"2024-12-31\"");
  const [first, second, third, ...clock] = parts.slice(1, 7).map(part => Number(part ?? 0));
  let [year, month, day] = [first, second, third || 1];
  if (parts[1].length !== 4) [year, month, day] = order === "dmy" ? [third, second, first] : [third, first, second];
  const seconds = secondsTo(year, month - 1, day, ...clock);
  if (Number.isNaN(seconds)) throw wrong("a day of the calendar");
  if (Boolean(parts[7]) !== Boolean(zone)) throw wrong(`dates with ${zone ? "a" : "no"} time zone`);
  if (!named) return seconds;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(parts[7]) ?? [null, "+", 0, 0];
  return clockOf(seconds - Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60), zone);
}

// The value of a date input at a moment, in seconds since the start of 1970; NaN for an unknown weekday.
function dateNumber(source, seconds) {
  if (Number.isNaN(seconds)) return NaN;
  if (source.kind === "time") {
    const start = Date.parse(`${source.start.slice(0, 19)}Z`) / 1000 + Number(`0${source.start.slice(19)}`);
    return (seconds - start) / UNIT_SECONDS[source.unit];
  }
  const date = new Date(seconds * 1000);
  if (source.kind === "weekday") return source.categories[WEEKDAYS[date.getUTCDay()]] ?? NaN;
  const ofDay = seconds - Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS;
  // Days are counted in a leap year.
  const place = source.cycle === "hour" ? ofDay / UNIT_SECONDS.hours
    : secondsTo(2024, date.getUTCMonth(), date.getUTCDate()) / DAY_SECONDS - secondsTo(2024, 0, 1) / DAY_SECONDS + ofDay / DAY_SECONDS;
  const period = PERIODS[source.cycle], rest = (place - source.start) % period;
  return rest < 0 ? rest + period : rest;
}

// The last step of predictions, as in fruler.rules._output; `written` is undefined without link and bounds.
function makeOutput(written) {
  const REACH = 345;
  const links = {
    identity: { target: raw => raw, raw: target => target },
    log: { target: raw => Math.exp(Math.min(Math.max(raw, -REACH), REACH)), raw: target => Math.log(target) },
  };
  const link = links[written?.link ?? "identity"];
  const [low, high] = written?.bounds ?? [null, null];
  const of = raw => Math.min(Math.max(link.target(raw), low ?? -Infinity), high ?? Infinity);
  return { ...link, of };
}

// `model` is the JSON object of a rule base, `reference` has what explanations are counted from, `features` are the
// inputs that belong together, `gaps` the regressions that fill in missing values, and `titles` the rules in words.
function makeModel({ model, reference, features, gaps, titles = [] }) {
  const MAX_TURNS = 8, SWEEPS = 8;
  const inputs = model.inputs.map(input => (input.kind === "fuzzy" ? { ...input, halfWidths: halfWidths(input) } : input));
  const curves = (model.curves ?? []).map(curve => ({ ...curve, halfWidths: halfWidths(curve) }));
  const column = new Map(inputs.map((input, j) => [input.name, j]));
  const output = makeOutput(model.output);
  const saysLabels = Boolean(model.target.points);
  const rules = model.rules.map(rule => {
    const slopes = new Array(inputs.length).fill(0);
    const terms = Object.entries(rule.then.slopes ?? {}).map(([name, slope]) => [column.get(name), slope]);
    for (const [j, slope] of terms) slopes[j] = slope;
    terms.sort(([a], [b]) => a - b);
    const conditions = Object.entries(rule.if).map(([name, accepted]) => {
      const j = column.get(name);
      if (model.antecedents === "own triangles") return { j, triangle: accepted };
      const first = inputs[j].labels.indexOf(accepted[0]);
      if (model.antecedents === "triangles") return { j, triangle: inputs[j].points[first] };
      return { j, first, last: first + accepted.length - 1 };
    });
    conditions.sort((a, b) => a.j - b.j);
    const says = saysLabels ? model.target.points[model.target.labels.indexOf(rule.then.label)] : null;
    return { conditions, intercept: rule.then.intercept ?? 0, slopes, terms, says };
  });
  const rulesOn = inputs.map((_, j) => rules.flatMap((rule, r) => (rule.conditions.some(c => c.j === j) ? [r] : [])));
  const isLookedAt = rulesOn.map(those => those.length > 0);
  const lookedAt = inputs.map((_, j) => j).filter(j => isLookedAt[j]);
  const others = inputs.map((_, j) => j).filter(j => !isLookedAt[j]);

  function halfWidths(input) {
    const edges = [input.domain[0], ...input.split_points, input.domain[1]];
    const n = input.split_points.length;
    const gaps = edges.slice(1).map((edge, k) => (edge - edges[k]) / (k > 0 && k < n ? 2 : 1));
    return input.split_points.map((_, k) => input.fuzziness[k] * Math.min(gaps[k], gaps[k + 1]));
  }

  // The lower label of a value and the degree of the label above it, for an input or a curve.
  function place(input, x) {
    if (input.kind === "nominal") {
      const label = input.groups.findIndex(group => group.includes(x));
      return { lower: label < 0 ? -2 : label, upper: 0 };
    }
    const { split_points: splits, halfWidths: widths } = input;
    let k = 0;
    while (k < splits.length && x >= splits[k] + widths[k]) k += 1;
    if (k === splits.length || x <= splits[k] - widths[k]) return { lower: k, upper: 0 };
    return { lower: k, upper: Math.min((x - (splits[k] - widths[k])) / (2 * widths[k]), 1) };
  }

  // Values outside the domain are clipped to its ends.
  const inside = (input, x) => Math.min(Math.max(x, input.domain[0]), input.domain[1]);

  // The degree of a value in a triangle; on the side of a point that is null it is 1.
  function membership([a, b, c], x) {
    if (x < b && a !== null) return x > a ? (x - a) / (b - a) : 0;
    if (x > b && c !== null) return x < c ? (c - x) / (c - b) : 0;
    return 1;
  }

  // The distance of a value from the middle of a triangle, as a share of the domain.
  function fromMiddle(input, [a, b, c], x) {
    if ((x < b && a === null) || (x > b && c === null)) return 0;
    return Math.abs(x - b) / (input.domain[1] - input.domain[0] || 1);
  }

  // The centre of gravity of a triangle that is cut off at a height.
  function centre([a, b, c], height) {
    const rest = 1 - height;
    return b + (c - b - (b - a)) * ((1 + rest + rest * rest) / (3 * (1 + rest)));
  }

  function degrees(j, x) {
    if (inputs[j].kind === "triangles") return inputs[j].points.map(points => membership(points, inside(inputs[j], x)));
    const { lower, upper } = place(inputs[j], x);
    return inputs[j].labels.map((_, label) => (label === lower ? 1 - upper : label === lower + 1 ? upper : 0));
  }

  // For each rule and each of its conditions: the degree of the value, and its distance in labels.
  function fits(row) {
    const places = row.map((x, j) => (inputs[j].kind === "triangles" ? null : place(inputs[j], x)));
    return rules.map(rule => rule.conditions.map(({ j, first, last, triangle }) => {
      if (triangle) {
        const x = inside(inputs[j], row[j]);
        return { matched: membership(triangle, x), steps: fromMiddle(inputs[j], triangle, x) };
      }
      const { lower, upper } = places[j];
      let matched = 0;
      if (first <= lower && lower <= last) matched = 1 - upper;
      if (first <= lower + 1 && lower + 1 <= last) matched += upper;
      const away = Math.max(first - (lower + upper), lower + upper - last, 0);
      return { matched, steps: inputs[j].kind === "fuzzy" ? away : Number(away > 0) };
    }));
  }

  // The degree of a rule; `fit(condition)` returns one of the above.
  function degreeOf(r, fit) {
    let degree = 1;
    for (let c = 0; c < rules[r].conditions.length && degree > 0; c += 1) {
      const { matched } = fit(c);
      degree = model.t_norm === "product" ? degree * matched : Math.min(degree, matched);
    }
    return degree;
  }

  // Weights that sum to one; if no rule fires, the nearest rule has weight one. `fit(rule, condition)` as above.
  function normalised(degrees, fit) {
    const total = degrees.reduce((sum, degree) => sum + degree, 0);
    if (total > 0) return { weights: degrees.map(degree => degree / total), heights: degrees, fired: true };
    let nearest = 0, least = Infinity;
    rules.forEach((rule, r) => {
      const steps = rule.conditions.reduce((sum, _, c) => sum + fit(r, c).steps, 0);
      if (steps < least) [nearest, least] = [r, steps];
    });
    const weights = degrees.map((_, r) => Number(r === nearest));
    return { weights, heights: weights, fired: false };
  }

  function activations(fits) {
    const degrees = rules.map((_, r) => degreeOf(r, c => fits[r][c]));
    return { degrees, ...normalised(degrees, (r, c) => fits[r][c]) };
  }

  function outputs(row) {
    return rules.map(rule => rule.terms.reduce((sum, [j, slope]) => sum + slope * row[j], rule.intercept));
  }

  // The outputs of the rules: linear, or the centres of the labels' triangles, cut off at the degrees of the rules.
  const said = (linear, heights) => (saysLabels ? rules.map((rule, r) => centre(rule.says, heights[r])) : linear);

  // The value of a curve at a value of its input.
  function curveAt(curve, x) {
    const { lower, upper } = place(curve, x);
    const line = piece => curve.pieces[piece].intercept + curve.pieces[piece].slope * x;
    return upper > 0 ? (1 - upper) * line(lower) + upper * line(lower + 1) : line(lower);
  }

  const curvesAt = row => curves.reduce((sum, curve) => sum + curveAt(curve, row[column.get(curve.input)]), 0);

  const weighted = (weights, values) => weights.reduce((sum, w, r) => (w === 0 ? sum : sum + w * values[r]), 0);

  function turnsOf(items) {
    const n = items.length, nTurns = Math.min(n, MAX_TURNS);
    return Array.from({ length: nTurns }, (_, k) => {
      const from = Math.floor((k * n) / nTurns);
      return [...items.slice(from), ...items.slice(0, from)];
    });
  }

  // The contribution of each input on the way from the typical row to this row.
  function partsFrom(row, typical, fitRow, there) {
    const parts = new Array(row.length).fill(0);
    const fitTypical = fits(typical);
    const here = activations(fitTypical);
    for (const j of others) {
      const slope = rules.reduce((sum, rule, r) => sum + ((there.weights[r] + here.weights[r]) / 2) * rule.slopes[j], 0);
      parts[j] = (row[j] - typical[j]) * slope;
    }
    const starts = [row, typical].map(rest => typical.map((x, j) => (isLookedAt[j] ? x : rest[j])));
    const turns = turnsOf(lookedAt);
    for (const turn of turns) {
      [turn, [...turn].reverse()].forEach((order, way) => {
        const switched = new Array(row.length).fill(false);
        const fit = (r, c) => (switched[rules[r].conditions[c].j] ? fitRow : fitTypical)[r][c];
        const degrees = [...here.degrees];
        const linear = outputs(starts[way]);
        let before = weighted(here.weights, said(linear, here.heights));
        for (const j of order) {
          if (row[j] === typical[j]) continue;
          switched[j] = true;
          for (const r of rulesOn[j]) degrees[r] = degreeOf(r, c => fit(r, c));
          rules.forEach((rule, r) => { linear[r] += rule.slopes[j] * (row[j] - typical[j]); });
          const now = normalised(degrees, fit);
          const after = weighted(now.weights, said(linear, now.heights));
          parts[j] += ((after - before) * 0.5) / turns.length;
          before = after;
        }
      });
    }
    for (const curve of curves) {
      const j = column.get(curve.input);
      parts[j] += curveAt(curve, row[j]) - curveAt(curve, typical[j]);
    }
    return parts;
  }

  // The distance of a row from the training data, in ranges of its inputs.
  function beyond(row, ranges) {
    return ranges.reduce((sum, [j, low, high]) => sum + Math.max(low - row[j], row[j] - high, 0) / (high - low), 0);
  }

  // The prediction of the inputs of a row, and what it is made of.
  function answer(given) {
    const row = [...given];
    for (const [j, low, high] of reference.clips) row[j] = Math.min(Math.max(row[j], low), high);
    const fit = fits(row);
    const there = activations(fit);
    const outputsHere = said(outputs(row), there.heights);
    const added = curvesAt(row);
    const raw = weighted(there.weights, outputsHere) + added;
    const reach = reference.radii ? weighted(there.weights, reference.radii) * (1 + beyond(given, reference.ranges)) : null;
    return {
      row,
      fit,
      there,
      raw,
      prediction: output.of(raw),
      rawSaid: outputsHere.map(own => own + added),
      reach,
      ends: reach === null ? null : [output.of(raw - reach), output.of(raw + reach)],
    };
  }

  // The explanation of the inputs of a row.
  function explainInputs(given) {
    const { row, fit, there, ...found } = answer(given);
    return {
      ...found,
      parts: partsFrom(row, reference.typical, fit, there).map((part, j) => part - reference.offsets[j]),
      weights: there.weights,
      said: found.rawSaid.map(output.of),
      fired: there.fired,
      outside: given.map((x, j) => x < (reference.low[j] ?? -Infinity) || x > (reference.high[j] ?? Infinity)),
    };
  }

  // Columns that the rules look at: numbers, or dates and categories.
  const sources = inputs.map(input => input.source ?? { column: input.name, kind: "number" });
  const columns = [...new Set(sources.map(source => source.column))];
  const uses = inputs.map((_, j) => rules.some(rule => rule.slopes[j] !== 0) || curves.some(curve => column.get(curve.input) === j)
    || (isLookedAt[j] && (rules.length > 1 || saysLabels)) || reference.ranges.some(([k]) => k === j));
  const needed = inputs.map((_, j) => j).filter(j => (gaps ? gaps.inputs.includes(j) : uses[j]));
  const levels = sources.map(source => ({ numbers: new Map(Object.entries(source.categories ?? {})), anyCase: source.any_case ?? false }));
  const readers = {
    number: (value, j) => numberOf(value, sources[j].column),
    category: (value, j) => levelOf(value, levels[j]),
    "is missing": value => Number(value === MISSING),
  };

  // The value of a column in a row, which is an object with the columns as keys, or an array in the order of the columns.
  function cellOf(row, name) {
    if (Array.isArray(row)) return valueOf(row[columns.indexOf(name)]);
    if (!Object.hasOwn(row, name)) throw new Error(`the row has no ${JSON.stringify(name)}; write null if the value is missing`);
    return valueOf(row[name]);
  }

  // Fill in missing values by their regressions on the others.
  function fill(values) {
    const { inputs: own, means, slopes } = gaps;
    const missing = own.map((_, k) => k).filter(k => Number.isNaN(values[own[k]]));
    if (!missing.length) return;
    const apart = own.map((j, k) => (Number.isNaN(values[j]) ? 0 : values[j] - means[k]));
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      for (const k of missing) apart[k] = slopes[k].reduce((sum, slope, other) => sum + slope * apart[other], 0);
    }
    for (const k of missing) values[own[k]] = means[k] + apart[k];
  }

  // The inputs of a row, and which were missing; inputs that no rule needs are typical.
  function inputsOf(row) {
    if (Array.isArray(row) && row.length !== columns.length) throw new Error(`a row has ${columns.length} values; got ${row.length}`);
    if (typeof row !== "object" || row === null) throw new Error(`a row is an object or an array; got ${String(row)}`);
    const values = [...reference.typical];
    for (const j of needed) {
      const cell = cellOf(row, sources[j].column);
      const read = readers[sources[j].kind];
      values[j] = read ? read(cell, j) : dateNumber(sources[j], secondsOf(cell, sources[j], sources[j].column));
    }
    const missing = values.map(Number.isNaN);
    if (gaps) fill(values);
    const empty = values.findIndex(Number.isNaN);
    if (empty >= 0) throw new Error(`the value of ${JSON.stringify(sources[empty].column)} is missing or unknown, and the model needs it`);
    return { values, missing };
  }

  const predict = row => answer(inputsOf(row).values).prediction;

  function predictInterval(row) {
    const { prediction, ends } = answer(inputsOf(row).values);
    return [prediction, ...ends];
  }

  function explain(row) {
    const { values, missing } = inputsOf(row);
    const { prediction, ends, parts, weights, said: outputsHere, fired, outside } = explainInputs(values);
    const contributions = features.map(({ name, inputs: own }) => ({ input: name, contribution: own.reduce((sum, j) => sum + parts[j], 0) }));
    const active = rules.map((_, r) => ({ rule: r + 1, text: titles[r], weight: weights[r], output: outputsHere[r] })).filter(({ weight }) => weight > 0);
    const named = which => features.filter(({ inputs: own }) => own.some(j => which[j])).map(({ name }) => name);
    return {
      prediction,
      ...(ends ? { lower: ends[0], upper: ends[1] } : {}),
      base: reference.base,
      contributions: contributions.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)),
      rules: active.sort((a, b) => b.weight - a.weight),
      fired,
      outside: named(outside),
      missing: named(missing),
    };
  }

  return { inputs, rules, degrees, output, explainInputs, columns, predict, predictInterval, explain };
}
