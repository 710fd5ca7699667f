const shown = (selector) => [...document.querySelectorAll(selector)].find((each) => each.offsetParent);

// Ctrl+Enter, or Cmd+Enter, presses the Run button of the tab that is open, also from within an editor.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const run = shown("button.ce-run");
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

function keepOpen() {
  const results = document.querySelectorAll(".ce-results .ce-result");
  if (!results.length) opened.clear();
  for (const each of results) if (opened.has(each.dataset.title) && !each.open) each.open = true;
}

// Where the results are out of sight, as below everything else on a phone, Run brings them into view.
document.addEventListener("click", (event) => {
  if (!event.target.closest("button.ce-run")) return;
  const status = shown(".ce-status");
  const { top } = status.getBoundingClientRect();
  if (top >= 0 && top < innerHeight / 2) return;
  // Else the page, which has no results yet, could not be scrolled that far.
  status.parentElement.style.minHeight = "100vh";
  status.scrollIntoView();
});

// What a selected row opens is below the table.
let row = null;
function showRow() {
  const found = document.querySelector(".ce-opened .ce-result");
  if (found && found !== row) found.scrollIntoView({ block: "nearest" });
  row = found;
}

// Gradio gives all editors the same name.
function nameEditors() {
  for (const each of document.querySelectorAll('.cm-content[aria-label="Code input container"]')) {
    const name = each.closest(".block")?.querySelector("label")?.textContent.trim();
    if (name) each.setAttribute("aria-label", `${name}. Escape, then Tab, leaves the editor.`);
  }
}

new MutationObserver(() => {
  keepOpen();
  showRow();
  nameEditors();
}).observe(document, { childList: true, subtree: true });
