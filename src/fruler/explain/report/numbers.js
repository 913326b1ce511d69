"use strict";

// Numbers as in fruler.explain.report._drawings; `tolerance` is the rounding error of written targets.
function makeNumbers(tolerance) {
  // As many digits as needed to keep a number within a tolerance, but at least two.
  function shown(value, within) {
    if (Math.abs(value) < within / 1e6 || value === 0) return "0";
    const places = within > 0 ? Math.ceil(-Math.log10(2 * within) - 1e-9) : 3 - Math.floor(Math.log10(Math.abs(value)));
    const digits = Math.min(Math.max(Math.floor(Math.log10(Math.abs(value))) + 1 + places, 2), 15);
    const rounded = Number(value.toPrecision(digits));
    const size = Math.abs(rounded);
    if (size >= 1e-4 && size < 1e7) return grouped(String(rounded)).replace("-", "−");
    const [mantissa, exponent] = rounded.toExponential().split("e");
    const raised = String(Number(exponent)).replace(/./g, sign => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
    return `${mantissa}·10${raised}`.replace("-", "−");
  }

  function grouped(text) {
    const [whole, decimals] = text.split(".");
    const inThrees = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return decimals ? `${inThrees}.${decimals}` : inThrees;
  }

  // For columns: all numbers have the same number of decimal places.
  function fixed(value) {
    if (!(tolerance > 1e-12 && tolerance < 1e12) || Math.abs(value) >= 1e15) return shown(value, tolerance);
    const places = Math.ceil(-Math.log10(2 * tolerance) - 1e-9);
    const unitOfPlace = 10 ** -Math.min(places, 0);
    const rounded = places > 0 ? value.toFixed(places) : (Math.round(value / unitOfPlace) * unitOfPlace).toFixed(0);
    return Number(rounded) === 0 ? "0" : grouped(rounded.replace("-", "−"));
  }

  function signed(value) {
    const text = fixed(value);
    return text.startsWith("−") || text === "0" ? text : `+${text}`;
  }

  const percent = share => (share > 0 && share < 0.005 ? "less than 1%" : `${Math.round(100 * share)}%`);

  return { shown, fixed, signed, percent };
}
