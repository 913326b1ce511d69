"use strict";

// The scales of outputs, as in fruler.explain._scales. `written` is the output in the JSON object of the rule base;
// undefined for the identity link without bounds.
function makeScale(written) {
  const REACH = 345, LARGEST_PERCENTAGE = 10;
  const scales = {
    identity: {
      base: "mean prediction",
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
  return scales[written?.link ?? "identity"];
}
