"use strict";

// A link to a rule opens it.
(() => {
  function open() {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details.rule")) target.open = true;
  }
  window.addEventListener("hashchange", open);
  open();
})();

// The list of rules, which can be searched, sorted and grouped if it is long.
(() => {
  const tools = document.getElementById("rule-tools");
  if (!tools) return;
  const list = document.getElementById("rule-list");
  const [search, sort, group] = ["rule-search", "rule-sort", "rule-group"].map(id => document.getElementById(id));
  const said = document.getElementById("rules-shown");
  const rules = [...list.querySelectorAll(".rule")].map((element, at) => ({
    element,
    at,
    words: [...element.querySelectorAll(".rule-name, .sentence")].map(part => part.textContent).join(" ").replace(/\s+/g, " ").toLowerCase(),
    // The condition of the rule on each subject; a subject without a condition may have any value.
    asks: new Map([...element.querySelectorAll("[data-subject]")].map(part => [part.dataset.subject, part.dataset.words])),
  }));

  const asked = (rule, subject) => (rule.asks.has(subject) ? `${subject}: ${rule.asks.get(subject)}` : `any ${subject}`);

  function inOrder() {
    const by = sort.value;
    if (by === "number") return [...rules];
    return [...rules].sort((a, b) => Number(b.element.dataset[by]) - Number(a.element.dataset[by]) || a.at - b.at);
  }

  function heading(text, count) {
    const element = document.createElement("h3");
    element.className = "rule-heading";
    element.textContent = text;
    const note = document.createElement("span");
    note.className = "soft";
    note.textContent = ` ${count} ${count === 1 ? "rule" : "rules"}`;
    element.append(note);
    return element;
  }

  function show() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = inOrder().filter(({ words }) => wanted.every(word => words.includes(word)));
    for (const old of list.querySelectorAll(".rule-heading")) old.remove();
    for (const { element } of rules) element.hidden = true;
    const groups = new Map();
    for (const rule of shown) {
      const name = group.value === "" ? "" : asked(rule, group.value);
      groups.set(name, [...(groups.get(name) ?? []), rule]);
    }
    // Rules without a condition on the subject come last.
    const names = [...groups.keys()].sort((a, b) => Number(a.startsWith("any ")) - Number(b.startsWith("any ")));
    for (const name of names) {
      if (name) list.append(heading(name, groups.get(name).length));
      for (const { element } of groups.get(name)) {
        element.hidden = false;
        list.append(element);
      }
    }
    said.textContent = shown.length === rules.length ? `All ${rules.length} rules are shown.` : `${shown.length} of ${rules.length} rules ${shown.length === 1 ? "is" : "are"} shown.`;
  }

  // A link to a rule that the search has hidden clears the search.
  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.hidden || !list.contains(target)) return;
    search.value = "";
    show();
    target.scrollIntoView();
  }

  tools.hidden = false;
  for (const control of [search, sort, group]) control.addEventListener("input", show);
  window.addEventListener("hashchange", reveal);
  show();
  reveal();
})();
