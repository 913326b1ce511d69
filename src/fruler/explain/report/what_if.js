"use strict";

// The sliders: a row of values, what the model says of it, and why.
(() => {
  const { model, reference, examples, alternatives } = JSON.parse(document.getElementById("data").textContent);
  const ruleBase = makeRuleBase(model);
  const PARTS_SHOWN = 8, RULES_SHOWN = 6, MIN_WEIGHT = 0.005, LARGEST_VALUE = 1e150;
  const tolerance = 0.002 * reference.spread;
  const unit = model.target.unit ? `\u00a0${model.target.unit}` : "";
  const byId = id => document.getElementById(id);
  const controls = ruleBase.inputs.map((input, j) => {
    const element = document.querySelector(`.input[data-input="${j}"]`);
    return {
      element,
      box: byId(`box-${j}`),
      slider: byId(`slider-${j}`),
      marker: element.querySelector(".marker"),
      degrees: element.querySelector(".degrees"),
      adds: element.querySelector(".adds"),
      written: element.querySelector(".written"),
    };
  });
  const alternativesOf = new Map(alternatives.flatMap(those => those.map(j => [j, those])));
  let row = [...reference.typical];
  let observed = null;
  let spoken = 0;

  // As many digits as keep a number within a tolerance, but no fewer than two; as fruler.explain.numbers has it.
  function shown(value, within) {
    if (Math.abs(value) < within / 1e6 || value === 0) return "0";
    const places = within > 0 ? Math.ceil(-Math.log10(2 * within) - 1e-9) : 3 - Math.floor(Math.log10(Math.abs(value)));
    const digits = Math.min(Math.max(Math.floor(Math.log10(Math.abs(value))) + 1 + places, 2), 15);
    const rounded = Number(value.toPrecision(digits));
    const size = Math.abs(rounded);
    if (size >= 1e-4 && size < 1e7) return rounded.toLocaleString("en-US", { maximumFractionDigits: 12, useGrouping: true }).replace("-", "−");
    const [mantissa, exponent] = rounded.toExponential().split("e");
    const raised = String(Number(exponent)).replace(/./g, sign => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
    return `${mantissa}·10${raised}`.replace("-", "−");
  }

  // For columns: all with as many decimal places as the target's tolerance allows.
  function fixed(value) {
    if (!(tolerance > 1e-12 && tolerance < 1e12) || Math.abs(value) >= 1e15) return shown(value, tolerance);
    const places = Math.ceil(-Math.log10(2 * tolerance) - 1e-9);
    const unitOfPlace = 10 ** -Math.min(places, 0);
    const text = (Math.round(value / unitOfPlace) * unitOfPlace).toFixed(0);
    const rounded = places > 0 ? value.toFixed(places) : text;
    const [whole, decimals] = rounded.replace("-", "−").split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return Number(rounded) === 0 ? "0" : decimals ? `${grouped}.${decimals}` : grouped;
  }

  function signed(value) {
    const text = fixed(value);
    return text.startsWith("−") || text === "0" ? text : `+${text}`;
  }

  const inputTolerance = j => 0.002 * (reference.high[j] - reference.low[j]);
  const percent = share => (share > 0 && share < 0.005 ? "below 1%" : `${Math.round(100 * share)}%`);

  // The slider's value as the nearest multiple of its step, so that the box shows no noise; its ends are exact.
  function snapped(j, value) {
    const { low, high, steps } = reference;
    if (value - low[j] < steps[j] / 2) return low[j];
    if (high[j] - value < steps[j] / 2) return high[j];
    const clean = Number((Math.round(value / steps[j]) * steps[j]).toPrecision(12));
    return Math.min(Math.max(clean, low[j]), high[j]);
  }

  // Of the inputs that stand for the categories of one column just one is 1; the commonest stands first.
  function choose(values, those, chosen) {
    for (const j of those) values[j] = Number(j === chosen);
  }

  // An input that has moved takes its alternatives along. Return which.
  function settle(j) {
    const those = alternativesOf.get(j) ?? [];
    if (those.length) choose(row, those, row[j] >= 0.5 ? j : those.find(other => other !== j));
    return those;
  }

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

  const waterfall = makeLines(byId("waterfall"), Math.min(PARTS_SHOWN, row.length) + 3, ["name", "bar", "value"]);
  const fired = byId("fired") ? makeLines(byId("fired"), Math.min(RULES_SHOWN, ruleBase.rules.length) + 1, ["link", "bar", "value"]) : [];

  function set(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  // The category whose number is nearest, of several the one that is chosen; the last option is none.
  function nearestOption(slider, value) {
    let best = Math.max(slider.selectedIndex, 0) % (slider.options.length - 1);
    for (let k = 0; k < slider.options.length - 1; k++) {
      if (Math.abs(Number(slider.options[k].value) - value) < Math.abs(Number(slider.options[best].value) - value)) best = k;
    }
    return best;
  }

  function valueText(j) {
    const { name, unit: inputUnit, source } = ruleBase.inputs[j];
    const { slider } = controls[j];
    if (source?.kind === "is missing") return `${source.column} is ${row[j] ? "missing" : "there"}`;
    if (slider.hasAttribute("data-coded")) return `${name} = ${slider.options[nearestOption(slider, row[j])].text}`;
    const date = writtenDate(source, row[j]);
    if (date !== null) return `${name} = ${date}`;
    const text = shown(row[j], inputTolerance(j));
    return `${name} = ${/(^|[^a-z])(year|yr)([^a-z]|$)/i.test(name) ? text.replace(/,/g, "") : text}${inputUnit ? `\u00a0${inputUnit}` : ""}`;
  }

  function showValue(j) {
    const { slider, marker, degrees, written, element } = controls[j];
    const input = ruleBase.inputs[j];
    const { low, high } = reference;
    let fitting = "";
    if (input.labels.length > 1 || input.kind === "nominal") {
      const active = ruleBase.degrees(j, row[j]).map((degree, label) => [degree, input.labels[label]]).filter(([degree]) => degree > 0);
      fitting = active.length ? active.map(([degree, label]) => `${label} ${percent(degree)}`).join(" · ") : "no label";
    }
    // A label that names what is chosen says nothing more.
    if (slider.hasAttribute("data-coded") && fitting.endsWith(" 100%") && fitting.includes(slider.options[nearestOption(slider, row[j])].text)) fitting = "";
    set(degrees, fitting);
    if (written) set(written, writtenDate(input.source, row[j]));
    if (slider.tagName === "SELECT") {
      const at = nearestOption(slider, row[j]);
      slider.selectedIndex = Number(slider.options[at].value) === row[j] ? at : slider.options.length - 1;
    } else {
      if (document.activeElement !== slider || Math.abs(Number(slider.value) - row[j]) > reference.steps[j] / 2) slider.value = row[j];
      slider.setAttribute("aria-valuetext", [valueText(j), fitting].filter(Boolean).join(", "));
      const at = high[j] > low[j] ? (row[j] - low[j]) / (high[j] - low[j]) : 0.5;
      marker.style.left = `${100 * Math.min(Math.max(at, 0), 1)}%`;
    }
    element.classList.toggle("outside", row[j] < low[j] || row[j] > high[j]);
  }

  function showPart(j, part) {
    const { adds } = controls[j];
    adds.dataset.value = part;
    set(adds, `${signed(part)}${unit}`);
    adds.className = `adds ${Math.abs(part) < tolerance ? "" : part < 0 ? "minus" : "plus"}`;
  }

  function showWaterfall({ prediction, parts }) {
    const order = parts.map((_, j) => j).filter(j => Math.abs(parts[j]) >= tolerance).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
    const telling = order.slice(0, PARTS_SHOWN);
    const lines = [{ name: reference.known ? "mean prediction" : "prediction of the middle row", at: reference.base }];
    let sum = reference.base;
    for (const j of telling) {
      lines.push({ name: valueText(j), from: sum, at: sum + parts[j], part: parts[j] });
      sum += parts[j];
    }
    const others = parts.filter((part, j) => part !== 0 && !telling.includes(j)).length;
    if (others) lines.push({ name: `${others} other input${others > 1 ? "s" : ""}`, from: sum, at: prediction, part: prediction - sum });
    lines.push({ name: "prediction", at: prediction, last: true });
    // At least one spread wide, so that small parts look small.
    const ends = lines.map(line => line.at);
    const least = Math.min(...ends), most = Math.max(...ends);
    const extent = Math.max(most - least, reference.spread) * 1.04 || 1;
    const low = (least + most - extent) / 2;
    waterfall.forEach(({ line, name, bar, value }, k) => {
      line.hidden = k >= lines.length;
      if (line.hidden) return;
      const { name: text, from, at, part, last } = lines[k];
      set(name, text);
      const isPart = part !== undefined;
      set(value, isPart ? signed(part) : fixed(at));
      line.className = `line ${isPart ? (part < 0 ? "minus" : "plus") : "sum"}${last ? " last" : ""}`;
      const start = isPart ? Math.min(from, at) : at, end = isPart ? Math.max(from, at) : at;
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
      set(value, isRest ? percent(weight) : `${any ? percent(weight) : "nearest"}, says ${fixed(said[telling[k]])}${unit}`);
    });
  }

  function showFlag({ fired: any, outside }) {
    const names = outside.flatMap((is, j) => (is ? [ruleBase.inputs[j].name] : []));
    const warnings = [];
    if (!any) warnings.push("No rule fits this row; the nearest one answers.");
    if (names.length) {
      const where = reference.known ? "the range of the training data" : "the range of the labels";
      const most = names.slice(0, 4).join(", ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
      warnings.push(`Outside ${where}: ${most}.`);
    }
    byId("flag").hidden = warnings.length === 0;
    set(byId("flag"), warnings.join(" "));
    return warnings;
  }

  function show() {
    const explained = ruleBase.explain(row, reference);
    const output = byId("prediction");
    output.dataset.value = explained.prediction;
    output.dataset.fired = explained.fired;
    set(output, fixed(explained.prediction));
    set(byId("observed"), observed === null ? "" : `observed: ${fixed(observed)}${unit}`);
    explained.parts.forEach((part, j) => showPart(j, part));
    showWaterfall(explained);
    showRules(explained);
    const warnings = showFlag(explained);
    // Spoken once the hand rests: a word for each pixel would be noise.
    clearTimeout(spoken);
    spoken = setTimeout(() => {
      byId("spoken").textContent = [`${model.target.name} ${fixed(explained.prediction)}${unit}.`, ...warnings].join(" ");
    }, 500);
  }

  function setBox(j) {
    // The model is asked for the exact value; the box has room for a thousandth of a step.
    const digits = row[j] === 0 ? 1 : Math.ceil(Math.log10(Math.abs(row[j]) / reference.steps[j])) + 3;
    controls[j].box.value = String(Number(row[j].toPrecision(Math.min(Math.max(digits, 4), 17))));
    controls[j].box.removeAttribute("aria-invalid");
  }

  function take(values, seen) {
    row = [...values];
    for (const those of alternatives) choose(row, those, those.find(j => row[j] >= 0.5) ?? those[0]);
    controls.forEach(({ slider }, j) => {
      if (slider.hasAttribute("data-coded")) row[j] = Number(slider.options[nearestOption(slider, row[j])].value);
    });
    observed = seen;
    row.forEach((_, j) => {
      setBox(j);
      showValue(j);
    });
    show();
  }

  function randomRow() {
    const values = ruleBase.inputs.map((input, j) => {
      const { slider } = controls[j];
      if (input.kind === "nominal" || slider.hasAttribute("data-coded")) {
        const codes = [...slider.options].filter(option => option.value !== "").map(option => Number(option.value));
        return codes[Math.floor(Math.random() * codes.length)];
      }
      return snapped(j, reference.low[j] + Math.random() * (reference.high[j] - reference.low[j]));
    });
    for (const those of alternatives) choose(values, those, those[Math.floor(Math.random() * those.length)]);
    return values;
  }

  // Show an input that has moved; the box in which somebody types is left alone.
  function moved(j, typed) {
    observed = null;
    for (const k of new Set([j, ...settle(j)])) {
      if (k !== j || !typed) setBox(k);
      showValue(k);
    }
    show();
  }

  controls.forEach(({ box, slider }, j) => {
    if (slider.tagName !== "SELECT") {
      slider.min = reference.low[j];
      slider.max = reference.high[j];
      slider.disabled = !(reference.high[j] > reference.low[j]);
    }
    slider.addEventListener("input", () => {
      row[j] = slider.tagName === "SELECT" ? Number(slider.value) : snapped(j, Number(slider.value));
      moved(j, false);
    });
    // There is no box for a date: the arrow keys reach every day, or quarter of an hour.
    slider.addEventListener("keydown", event => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (way === undefined || !slider.hasAttribute("data-dated")) return;
      event.preventDefault();
      row[j] = snapped(j, Math.min(Math.max(row[j], reference.low[j]), reference.high[j]) + way * reference.steps[j]);
      slider.value = row[j];
      moved(j, false);
    });
    box.addEventListener("input", () => {
      const value = box.valueAsNumber;
      const valid = Number.isFinite(value) && Math.abs(value) <= LARGEST_VALUE;
      if (!valid) {
        box.setAttribute("aria-invalid", "true");
        return;
      }
      box.removeAttribute("aria-invalid");
      row[j] = value;
      moved(j, true);
    });
    // A box that is left without a number that counts goes back to the value that the model was last asked for.
    box.addEventListener("change", () => {
      if (box.hasAttribute("aria-invalid") || alternativesOf.has(j)) setBox(j);
    });
  });
  for (const button of document.querySelectorAll("button[data-row]")) {
    button.addEventListener("click", () => {
      const which = button.dataset.row;
      if (which === "typical") take(reference.typical, null);
      else if (which === "random") take(randomRow(), null);
      else take(examples[Number(which)].row, examples[Number(which)].observed);
    });
  }
  // On paper nothing can be unfolded; the smallest terms of a rule would fill pages.
  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details.rule-more:not([open])")];
    for (const details of unfolded) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of unfolded) details.open = false;
  });
  take(reference.typical, null);
})();
