"use strict";

// The last step of predictions, as in fruler.rules._output, and the scales of outputs, as in fruler.explain._scales.
// `written` is the output in the JSON object of the rule base; undefined for the identity link without bounds.
function makeOutput(written) {
  const REACH = 345, LARGEST_PERCENTAGE = 10;
  const links = {
    identity: {
      base: "mean prediction",
      target: raw => raw,
      raw: target => target,
      // Functions that write targets, contributions, differences without a sign, and changes.
      tell: ({ fixed, signed }, tolerance, unit) => ({
        number: fixed,
        part: signed,
        partWithUnit: change => `${signed(change)}${unit}`,
        apart: change => `${fixed(Math.abs(change))}${unit}`,
        change: change => `${signed(change)}${unit}`,
      }),
    },
    log: {
      base: "typical prediction",
      target: raw => Math.exp(Math.min(Math.max(raw, -REACH), REACH)),
      raw: target => Math.log(target),
      tell: ({ shown }, tolerance) => {
        const factor = change => Math.exp(Math.min(Math.max(change, -REACH), REACH));
        const part = change => `×${shown(factor(change), tolerance * factor(change))}`;
        const percentage = change => shown(100 * Math.expm1(change), 100 * tolerance * factor(change));
        const change = change => {
          if (factor(change) > LARGEST_PERCENTAGE) return part(change);
          const text = percentage(change);
          return `${text.startsWith("−") || text === "0" ? text : `+${text}`}%`;
        };
        return {
          number: target => shown(target, tolerance * Math.abs(target)),
          part,
          partWithUnit: part,
          apart: difference => change(difference).replace(/^[+−]/, ""),
          change,
        };
      },
    },
  };
  const link = links[written?.link ?? "identity"];
  const [low, high] = written?.bounds ?? [null, null];
  const of = raw => Math.min(Math.max(link.target(raw), low ?? -Infinity), high ?? Infinity);
  return { ...link, of, low, high };
}
