"use strict";

// On paper: one page that says what the model is, or everything, as the button says that was pressed.
(() => {
  const root = document.documentElement;
  let unfolded = [];
  for (const button of document.querySelectorAll("button[data-print]")) {
    button.addEventListener("click", () => {
      root.classList.toggle("print-all", button.dataset.print === "all");
      window.print();
    });
  }
  // On paper nothing can be unfolded; the smallest terms of a rule would fill pages.
  window.addEventListener("beforeprint", () => {
    if (!root.classList.contains("print-all")) return;
    unfolded = [...document.querySelectorAll("details.rule-more:not([open]), details.more-effects:not([open])")];
    for (const details of unfolded) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of unfolded) details.open = false;
    unfolded = [];
    root.classList.remove("print-all");
  });
})();
