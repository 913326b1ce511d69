"use strict";

// Printing: a one-page summary or the whole report, depending on the button.
(() => {
  const root = document.documentElement;
  let unfolded = [];
  for (const button of document.querySelectorAll("button[data-print]")) {
    button.addEventListener("click", () => {
      root.classList.toggle("print-all", button.dataset.print === "all");
      window.print();
    });
  }
  // Details cannot be opened on paper, so open them before; the smallest terms of rules would fill pages.
  window.addEventListener("beforeprint", () => {
    if (!root.classList.contains("print-all")) return;
    unfolded = [...document.querySelectorAll("details.rule:not([open]), details.more-effects:not([open])")];
    for (const details of unfolded) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of unfolded) details.open = false;
    unfolded = [];
    root.classList.remove("print-all");
  });
})();
