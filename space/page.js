// Ctrl+Enter, or Cmd+Enter, presses the Run button of the tab that is open, also from within an editor.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const run = [...document.querySelectorAll("button.ce-run")].find((button) => button.offsetParent);
    if (!run || run.disabled) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    run.click();
  },
  true,
);

// Results are drawn anew whenever there is news: those that the visitor opened stay open.
const opened = new Set();
document.addEventListener(
  "toggle",
  (event) => {
    const { title } = event.target.dataset;
    if (!title || !event.target.closest(".ce-results")) return;
    if (event.target.open) opened.add(title);
    else opened.delete(title);
  },
  true,
);
new MutationObserver(() => {
  const results = document.querySelectorAll(".ce-results .ce-result");
  if (!results.length) opened.clear();
  for (const each of results) if (opened.has(each.dataset.title) && !each.open) each.open = true;
}).observe(document, { childList: true, subtree: true });
