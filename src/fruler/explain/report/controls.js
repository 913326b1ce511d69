"use strict";

// The controls: one per feature, which sets one input of the rules, or all inputs of a column of categories.
function makeControls(ruleBase, features, page, numbers) {
  const LARGEST_VALUE = 1e150;
  const byId = id => document.getElementById(id);
  const { low, high, steps } = page;
  const controls = features.map(({ name, inputs, options, common }) => {
    const [j] = inputs;
    const element = document.querySelector(`.input[data-input="${j}"]`);
    const slider = byId(`slider-${j}`);
    const parts = Object.fromEntries(["marker", "degrees", "adds", "written"].map(part => [part, element.querySelector(`.${part}`)]));
    return { name, inputs, j, options, common, element, slider, box: byId(`box-${j}`), coded: slider.hasAttribute("data-coded"), ...parts };
  });

  // The option nearest to a row; if tied, the chosen or the most common option.
  function nearestOption({ options, inputs, slider, common }, row) {
    const far = k => options[k].reduce((sum, value, at) => sum + Math.abs(value - row[inputs[at]]), 0);
    const chosen = slider.selectedIndex >= 0 && slider.selectedIndex < options.length ? slider.selectedIndex : common;
    let best = far(chosen) <= far(common) ? chosen : common;
    options.forEach((_, k) => { if (far(k) < far(best)) best = k; });
    return best;
  }

  // The same, but if tied always the most common option: for a row that was not set by its options.
  function commonOption(control, row) {
    control.slider.selectedIndex = control.common;
    return nearestOption(control, row);
  }

  const isExact = ({ options, inputs }, k, row) => options[k].every((value, at) => value === row[inputs[at]]);

  function setOption({ options, inputs }, k, row) {
    options[k].forEach((value, at) => { row[inputs[at]] = value; });
  }

  // The slider's value rounded to a multiple of its step, so that the box shows no noise; the ends are exact.
  function snapped(j, value) {
    if (value - low[j] < steps[j] / 2) return low[j];
    if (high[j] - value < steps[j] / 2) return high[j];
    const clean = Number((Math.round(value / steps[j]) * steps[j]).toPrecision(12));
    return Math.min(Math.max(clean, low[j]), high[j]);
  }

  // The value of a control in words: "weekday: Sunday", "size is missing", "weight = 3,504 lb".
  function text(control, row) {
    const { j, name, options, slider } = control;
    const { unit, source } = ruleBase.inputs[j];
    if (source?.kind === "is missing") return `${source.column} is ${row[j] ? "missing" : "present"}`;
    if (options) {
      const k = nearestOption(control, row);
      if (control.coded || isExact(control, k, row)) return `${name}: ${slider.options[k].text}`;
    }
    const date = writtenDate(source, row[j]);
    if (date !== null) return `${name} = ${date}`;
    // As precise as the number box.
    const number = numbers.shown(row[j], steps[j] / 2000);
    const words = /^-?1$/.test(number) ? unit?.replace(/^(year|month|week|day|hour|minute|second)s$/, "$1") : unit;
    return `${name} = ${/(^|[^a-z])(year|yr)([^a-z]|$)/i.test(name) ? number.replace(/,/g, "") : number}${words ? `\u00a0${words}` : ""}`;
  }

  function setText(element, content) {
    if (element.textContent !== content) element.textContent = content;
  }

  // The labels of a value with their degrees; empty if the label only repeats the chosen option.
  function fittingLabels(control, row) {
    const { j, inputs, slider } = control;
    const input = ruleBase.inputs[j];
    if (inputs.length > 1 || !(input.labels.length > 1 || input.kind === "nominal")) return "";
    const active = ruleBase.degrees(j, row[j]).map((degree, label) => [degree, input.labels[label]]).filter(([degree]) => degree > 0);
    const fitting = active.length ? active.map(([degree, label]) => `${label} ${numbers.percent(degree)}`).join(" · ") : "no label";
    return control.coded && fitting.endsWith(" 100%") && fitting.includes(slider.options[nearestOption(control, row)].text) ? "" : fitting;
  }

  function show(control, row) {
    const { j, inputs, options, slider, marker, degrees, written, element } = control;
    const fitting = fittingLabels(control, row);
    setText(degrees, fitting);
    if (written) setText(written, writtenDate(ruleBase.inputs[j].source, row[j]));
    if (options) {
      const k = nearestOption(control, row);
      slider.selectedIndex = control.coded || isExact(control, k, row) ? k : options.length;
    } else {
      if (document.activeElement !== slider || Math.abs(Number(slider.value) - row[j]) > steps[j] / 2) slider.value = row[j];
      slider.setAttribute("aria-valuetext", [text(control, row), fitting].filter(Boolean).join(", "));
      const at = high[j] > low[j] ? (row[j] - low[j]) / (high[j] - low[j]) : 0.5;
      marker.style.left = `${100 * Math.min(Math.max(at, 0), 1)}%`;
    }
    element.classList.toggle("outside", inputs.some(i => row[i] < low[i] || row[i] > high[i]));
  }

  function showBox({ j, box }, row) {
    if (!box) return;
    // The model gets the exact value; the box shows it to a thousandth of a step.
    const digits = row[j] === 0 ? 1 : Math.ceil(Math.log10(Math.abs(row[j]) / steps[j])) + 3;
    box.value = String(Number(row[j].toPrecision(Math.min(Math.max(digits, 4), 17))));
    box.removeAttribute("aria-invalid");
  }

  // A row that the controls can show: features that are chosen only by name have one of their options.
  function settled(values) {
    const row = [...values];
    for (const control of controls) if (control.coded) setOption(control, commonOption(control, row), row);
    return row;
  }

  function randomRow() {
    const row = low.map((least, j) => snapped(j, least + Math.random() * (high[j] - least)));
    for (const control of controls) if (control.options) setOption(control, Math.floor(Math.random() * control.options.length), row);
    return row;
  }

  // Call `change(control, edit, typed)` whenever a user moves a control; `edit(row)` makes the same change in a row.
  function listen(change, current) {
    for (const control of controls) {
      const { j, box, slider, options } = control;
      if (!options) {
        slider.min = low[j];
        slider.max = high[j];
        slider.disabled = !(high[j] > low[j]);
      }
      slider.addEventListener("input", () => {
        change(control, row => (options ? setOption(control, slider.selectedIndex, row) : (row[j] = snapped(j, Number(slider.value)))), false);
      });
      // Dates have no box, so the arrow keys move by one step: a day, or a quarter of an hour.
      slider.addEventListener("keydown", event => {
        const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
        if (way === undefined || !slider.hasAttribute("data-dated")) return;
        event.preventDefault();
        const next = snapped(j, Math.min(Math.max(current()[j], low[j]), high[j]) + way * steps[j]);
        slider.value = next;
        change(control, row => { row[j] = next; }, false);
      });
      box?.addEventListener("input", () => {
        const value = box.valueAsNumber;
        if (!(Number.isFinite(value) && Math.abs(value) <= LARGEST_VALUE)) {
          box.setAttribute("aria-invalid", "true");
          return;
        }
        box.removeAttribute("aria-invalid");
        change(control, row => { row[j] = value; }, true);
      });
      // A box that is left with an invalid number is reset to the last valid value.
      box?.addEventListener("change", () => {
        if (box.hasAttribute("aria-invalid")) showBox(control, current());
      });
    }
  }

  return { controls, text, show, showBox, settled, randomRow, listen };
}
