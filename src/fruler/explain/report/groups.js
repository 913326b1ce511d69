"use strict";

// Errors by group: the table of the chosen column.
(() => {
  const choice = document.getElementById("error-by");
  choice?.addEventListener("input", () => {
    for (const table of document.querySelectorAll("table.groups")) table.hidden = table.dataset.by !== choice.value;
  });
})();
