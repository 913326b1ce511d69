"use strict";

// The rule base in the browser: the same steps, in the same order, as in fruler.rules, so that both give the same
// numbers. `model` is the JSON object of the rule base.
function makeRuleBase(model) {
  const MAX_TURNS = 8;
  const inputs = model.inputs.map(input => (input.kind === "fuzzy" ? { ...input, halfWidths: halfWidths(input) } : input));
  const curves = (model.curves ?? []).map(curve => ({ ...curve, halfWidths: halfWidths(curve) }));
  const column = new Map(inputs.map((input, j) => [input.name, j]));
  const output = makeOutput(model.output);
  const saysLabels = Boolean(model.target.points);
  const rules = model.rules.map(rule => {
    const slopes = new Array(inputs.length).fill(0);
    for (const [name, slope] of Object.entries(rule.then.slopes ?? {})) slopes[column.get(name)] = slope;
    const conditions = Object.entries(rule.if).map(([name, accepted]) => {
      const j = column.get(name);
      if (model.antecedents === "own triangles") return { j, triangle: accepted };
      const first = inputs[j].labels.indexOf(accepted[0]);
      if (model.antecedents === "triangles") return { j, triangle: inputs[j].points[first] };
      return { j, first, last: first + accepted.length - 1 };
    });
    conditions.sort((a, b) => a.j - b.j);
    const says = saysLabels ? model.target.points[model.target.labels.indexOf(rule.then.label)] : null;
    return { conditions, intercept: rule.then.intercept ?? 0, slopes, says };
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
    return rules.map(rule => row.reduce((sum, x, j) => sum + rule.slopes[j] * x, rule.intercept));
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

  // The explanation of a row. `reference` has the typical row, the base and the offsets of the contributions.
  function explain(given, reference) {
    const row = [...given];
    for (const [j, low, high] of reference.clips) row[j] = Math.min(Math.max(row[j], low), high);
    const fit = fits(row);
    const there = activations(fit);
    const outputsHere = said(outputs(row), there.heights);
    const added = curvesAt(row);
    const raw = weighted(there.weights, outputsHere) + added;
    const rawSaid = outputsHere.map(output => output + added);
    const reach = reference.radii ? weighted(there.weights, reference.radii) * (1 + beyond(given, reference.ranges)) : null;
    return {
      raw,
      prediction: output.of(raw),
      parts: partsFrom(row, reference.typical, fit, there).map((part, j) => part - reference.offsets[j]),
      weights: there.weights,
      rawSaid,
      said: rawSaid.map(output.of),
      fired: there.fired,
      outside: given.map((x, j) => x < reference.low[j] || x > reference.high[j]),
      reach,
      ends: reach === null ? null : [output.of(raw - reach), output.of(raw + reach)],
    };
  }

  return { inputs, rules, degrees, explain };
}
