"use strict";

// "Try it": a row of values, its prediction, and the explanation.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { model, reference, page, examples, features, dates } = data;
  const PARTS_SHOWN = 8, RULES_SHOWN = 6, MIN_WEIGHT = 0.005;
  // Rules disagree if their outputs differ by more than this many typical errors.
  const MAX_ERRORS_APART = 3;
  const tolerance = 0.002 * page.spread;
  const unit = model.target.unit ? `\u00a0${model.target.unit}` : "";
  const ruleBase = makeModel(data);
  const numbers = makeNumbers(tolerance);
  const panel = makeControls(ruleBase, features, page, numbers);
  const dateControls = makeDateControls(ruleBase, dates);
  const { percent } = numbers;
  const { output } = ruleBase;
  const scale = makeScale(model.output);
  const told = scale.tell(numbers, tolerance, unit);
  const byId = id => document.getElementById(id);
  let row = [...reference.typical];
  let observed = null;
  let kept = null;
  let spoken = 0;

  function create(tag, className, parent) {
    const element = document.createElement(tag);
    element.className = className;
    parent.append(element);
    return element;
  }

  function makeLines(list, count, names) {
    return Array.from({ length: count }, () => {
      const line = create("li", "line", list);
      const parts = { line };
      for (const name of names) parts[name] = create(name === "bar" ? "i" : name === "link" ? "a" : "span", name, name === "bar" ? create("span", "rail", line) : line);
      return parts;
    });
  }

  const waterfall = makeLines(byId("waterfall"), Math.min(PARTS_SHOWN, features.length) + 3, ["name", "bar", "value"]);
  const fired = byId("fired") ? makeLines(byId("fired"), Math.min(RULES_SHOWN, ruleBase.rules.length) + 1, ["link", "bar", "value"]) : [];

  function set(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function showPart({ adds }, part) {
    adds.dataset.value = part;
    set(adds, told.partWithUnit(part));
    adds.className = `adds ${Math.abs(part) < tolerance ? "" : part < 0 ? "minus" : "plus"}`;
  }

  // `parts` has the contribution of each feature.
  function showWaterfall({ raw, prediction, reach, ends }, parts) {
    const order = parts.map((_, k) => k).filter(k => Math.abs(parts[k]) >= tolerance).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
    const telling = order.slice(0, PARTS_SHOWN);
    const lines = [{ name: page.known ? scale.base : "prediction of the middle row", at: reference.base }];
    let sum = reference.base;
    for (const k of telling) {
      lines.push({ name: panel.text(panel.controls[k], row), from: sum, at: sum + parts[k], part: parts[k] });
      sum += parts[k];
    }
    const others = parts.filter((part, k) => part !== 0 && !telling.includes(k)).length;
    if (others) lines.push({ name: `${others} other input${others > 1 ? "s" : ""}`, from: sum, at: raw, part: raw - sum });
    lines.push({ name: "prediction", at: raw, last: true });
    // The last line shows the prediction interval as a band.
    const band = reach === null ? [] : ends.map(output.raw);
    // At least one spread wide, so that small parts look small.
    const reached = [...lines.map(line => line.at), ...band];
    const least = Math.min(...reached), most = Math.max(...reached);
    const extent = Math.max(most - least, page.spread) * 1.04 || 1;
    const low = (least + most - extent) / 2;
    waterfall.forEach(({ line, name, bar, value }, k) => {
      line.hidden = k >= lines.length;
      if (line.hidden) return;
      const { name: text, from, at, part, last } = lines[k];
      set(name, text);
      const isPart = part !== undefined;
      set(value, isPart ? told.part(part) : told.number(last ? prediction : output.target(at)));
      line.className = `line ${isPart ? (part < 0 ? "minus" : "plus") : "sum"}${last ? ` last${band.length ? " banded" : ""}` : ""}`;
      const [start, end] = isPart ? [Math.min(from, at), Math.max(from, at)] : last && band.length ? band : [at, at];
      bar.style.left = `${(100 * (start - low)) / extent}%`;
      bar.style.width = `${(100 * (end - start)) / extent}%`;
    });
  }

  function showRules({ weights, said, fired: any }) {
    const order = weights.map((_, r) => r).filter(r => weights[r] >= MIN_WEIGHT).sort((a, b) => weights[b] - weights[a]);
    const telling = order.slice(0, RULES_SHOWN);
    fired.forEach(({ line, link, bar, value }, k) => {
      const rest = weights.filter((weight, r) => weight > 0 && !telling.includes(r));
      const isRest = k === telling.length && rest.length > 0;
      line.hidden = k >= telling.length && !isRest;
      if (line.hidden) return;
      const weight = isRest ? rest.reduce((sum, w) => sum + w, 0) : weights[telling[k]];
      if (isRest) link.removeAttribute("href");
      else link.href = `#rule-${telling[k] + 1}`;
      set(link, isRest ? `${rest.length} more` : `Rule ${telling[k] + 1}`);
      bar.style.width = `${100 * weight}%`;
      set(value, isRest ? percent(weight) : `${any ? percent(weight) : "nearest"}, says ${told.number(said[telling[k]])}${unit}`);
    });
  }

  // The output of the strongest rule alone, next to the prediction; the first rule if tied.
  function showStrongest({ raw, weights, said, rawSaid }) {
    const alone = byId("alone");
    if (!alone) return "";
    const strongest = weights.indexOf(Math.max(...weights));
    const link = byId("strongest");
    alone.dataset.value = said[strongest];
    set(alone, told.number(said[strongest]));
    link.href = `#rule-${strongest + 1}`;
    set(link, `Rule ${strongest + 1}`);
    const gap = rawSaid[strongest] - raw;
    set(byId("gap"), Math.abs(gap) < tolerance ? "the same" : `${told.apart(gap)} ${gap < 0 ? "lower" : "higher"}`);
    return `Rule ${strongest + 1} alone says ${told.number(said[strongest])}${unit}.`;
  }

  // A row is unusual if the outputs of its active rules differ much, or its prediction lies outside the observed range.
  function doubts({ raw, prediction, weights, rawSaid }) {
    const found = [];
    const free = output.target(raw), word = free < prediction ? "least" : "most";
    if (free !== prediction) found.push(`The rules say ${told.number(free)}${unit}; predictions are at ${word} ${told.number(prediction)}${unit}.`);
    const { error, targetRange } = page;
    if (error === null) return found;
    const apart = Math.sqrt(weights.reduce((sum, weight, r) => sum + (weight > 0 ? weight * (rawSaid[r] - raw) ** 2 : 0), 0));
    if (apart > MAX_ERRORS_APART * error) found.push(`The rules disagree here by ${told.apart(apart)}: trust it less.`);
    const [least, most] = targetRange.map(output.raw), said = output.raw(prediction);
    if (said < least - tolerance) found.push(`Lower than all that was observed (${told.number(targetRange[0])}${unit}).`);
    if (said > most + tolerance) found.push(`Higher than all that was observed (${told.number(targetRange[1])}${unit}).`);
    return found;
  }

  function showInterval({ reach, ends }) {
    const interval = byId("interval");
    if (!interval) return "";
    interval.dataset.reach = reach;
    [interval.dataset.lower, interval.dataset.upper] = ends;
    const words = `90% of such rows lie between ${told.number(ends[0])} and ${told.number(ends[1])}${unit}`;
    set(interval, words);
    return `${words}.`;
  }

  function showCompared(prediction) {
    const words = kept === null ? "" : `${told.change(output.raw(prediction) - output.raw(kept))} against the row to compare with`;
    set(byId("compared"), words);
    return kept === null ? "" : `${words}.`;
  }

  function showFlag(explained) {
    const { fired: any, outside } = explained;
    const names = features.filter(({ inputs }) => inputs.some(j => outside[j])).map(({ name }) => name);
    const warnings = [];
    if (!any) warnings.push("No rule fits this row; the nearest one answers.");
    if (names.length) {
      const where = page.known ? "the range of the training data" : "the range of the labels";
      const most = names.slice(0, 4).join(", ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
      warnings.push(`Outside ${where}: ${most}.`);
    }
    warnings.push(...doubts(explained));
    byId("flag").hidden = warnings.length === 0;
    set(byId("flag"), warnings.join(" "));
    return warnings;
  }

  function show() {
    const explained = ruleBase.explainInputs(row);
    const answer = byId("prediction");
    answer.dataset.value = explained.prediction;
    answer.dataset.fired = explained.fired;
    set(answer, told.number(explained.prediction));
    set(byId("observed"), observed === null ? "" : `observed: ${told.number(observed)}${unit}`);
    const parts = features.map(({ inputs }) => inputs.reduce((sum, j) => sum + explained.parts[j], 0));
    parts.forEach((part, k) => showPart(panel.controls[k], part));
    showWaterfall(explained, parts);
    showRules(explained);
    const alone = [showInterval(explained), showCompared(explained.prediction), showStrongest(explained)].filter(Boolean).join(" ");
    const warnings = showFlag(explained);
    dateControls.show(row);
    // Announced to screen readers once the slider rests: an announcement per pixel would be noise.
    clearTimeout(spoken);
    spoken = setTimeout(() => {
      byId("spoken").textContent = [`${model.target.name} ${told.number(explained.prediction)}${unit}.`, alone, ...warnings].filter(Boolean).join(" ");
    }, 500);
  }

  function take(values, seen) {
    row = panel.settled(values);
    dateControls.settle(row);
    observed = seen;
    for (const control of panel.controls) {
      panel.showBox(control, row);
      panel.show(control, row);
    }
    show();
  }

  // Update a control that was moved, but not a box while a user types in it.
  panel.listen((control, edit, typed) => {
    edit(row);
    observed = null;
    if (!typed) panel.showBox(control, row);
    panel.show(control, row);
    show();
  }, () => row);
  dateControls.listen((inputs, edit) => {
    edit(row);
    observed = null;
    for (const control of panel.controls.filter(one => one.inputs.some(j => inputs.includes(j)))) {
      panel.showBox(control, row);
      panel.show(control, row);
    }
    show();
  });
  for (const button of document.querySelectorAll("button[data-row]")) {
    button.addEventListener("click", () => {
      const which = button.dataset.row;
      if (which === "typical") take(reference.typical, null);
      else if (which === "random") take(panel.randomRow(), null);
      else take(examples[Number(which)].row, examples[Number(which)].observed);
    });
  }
  byId("keep").addEventListener("click", () => {
    kept = kept === null ? Number(byId("prediction").dataset.value) : null;
    byId("keep").setAttribute("aria-pressed", String(kept !== null));
    show();
  });
  take(reference.typical, null);
})();
