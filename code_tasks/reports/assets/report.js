"use strict";
const data = JSON.parse(document.getElementById("ce-data").textContent);
const samples = [...document.querySelectorAll("#ce-samples > details")];
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const gray = color("--ce-edge");
const gridColor = "rgba(124, 135, 151, 0.3)";
const config = { displayModeBar: false, responsive: true };

function layout(options) {
  return {
    margin: { l: 56, r: 16, t: 12, b: 44 },
    height: 300,
    paper_bgcolor: "rgba(0, 0, 0, 0)",
    plot_bgcolor: "rgba(0, 0, 0, 0)",
    font: { color: gray },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    ...options,
  };
}
const axis = (options) => ({ gridcolor: gridColor, zeroline: false, fixedrange: true, ...options });

function hide(name) {
  document.getElementById(`ce-section-${name}`).hidden = true;
}

// pass@k over k.

function curveTraces(points, name, rank, dash, lineColor, fillColor) {
  const k = points.map((point) => point.k);
  const traces = [];
  if (points.every((point) => point.low !== null))
    traces.push({
      x: [...k, ...k.toReversed()],
      y: [...points.map((point) => point.high), ...points.map((point) => point.low).toReversed()],
      fill: "toself",
      fillcolor: fillColor,
      line: { width: 0 },
      mode: "lines",
      hoverinfo: "skip",
      showlegend: false,
    });
  traces.push({
    x: k,
    y: points.map((point) => point.mean),
    name,
    legendrank: rank,
    mode: k.length > 30 ? "lines" : "lines+markers",
    line: { color: lineColor, dash },
    text: points.map((point) =>
      point.low === null ? "" : `, from ${(100 * point.low).toFixed(1)}% to ${(100 * point.high).toFixed(1)}%`,
    ),
    hovertemplate: `${name.replace("k", "%{x}")}: %{y:.1%}%{text}<extra></extra>`,
  });
  return traces;
}

function drawCurve() {
  if (data.pass_at_k.length < 2) return hide("curve");
  const last = data.pass_at_k.length;
  Plotly.newPlot(
    "ce-curve",
    [
      ...curveTraces(data.pass_hat_k, "pass^k", 2, "dash", "#d55e00", "rgba(213, 94, 0, 0.18)"),
      ...curveTraces(data.pass_at_k, "pass@k", 1, "solid", "#3b8fd4", "rgba(59, 143, 212, 0.22)"),
    ],
    layout({
      xaxis: axis({ title: { text: "k" }, tickmode: "linear", tick0: last > 10 ? 0 : 1, dtick: Math.ceil(last / 10) }),
      yaxis: axis({ tickformat: ".0%", range: [-0.03, 1.03] }),
    }),
    config,
  );
}

// The map of outcomes. Its cells are letters, of which there may be half a million: each row is one element.

const map = document.getElementById("ce-map");
const rows = [...document.querySelectorAll("#ce-map .ce-row")];
const cursor = Object.assign(document.createElement("span"), { className: "ce-cursor", hidden: true });
const position = { row: 0, column: 0 };
const outcomeOf = Object.fromEntries(Object.entries(data.letters).map(([name, letter]) => [letter, name]));
const lettersOf = (row) => rows[row].querySelector(".ce-cells").textContent;
const sampleOf = (row, column) =>
  samples.find((each) => each.dataset.row === String(row) && each.dataset.sample === String(data.numbers[column]));

// Cells of the same outcome are one band of the row's background; lines part the cells of wide columns.
function paint(row) {
  const bands = [...lettersOf(row).matchAll(/(.)\1*/g)].map(({ 0: { length }, 1: letter, index }) => {
    const name = outcomeOf[letter] ? `var(--ce-${outcomeOf[letter]})` : "var(--ce-edge)";
    return `${name} calc(${index} * var(--ce-size)) calc(${index + length} * var(--ce-size))`;
  });
  const line = "transparent 0 calc(var(--ce-size) - 1px), var(--body-background-fill) calc(var(--ce-size) - 1px) var(--ce-size)";
  rows[row].querySelector(".ce-cells").style.backgroundImage =
    `repeating-linear-gradient(90deg, ${line}), linear-gradient(90deg, ${bands.join(", ")})`;
}

function describe({ row, column }) {
  const name = `${rows[row].title}, sample ${data.numbers[column]}`;
  const outcome = outcomeOf[lettersOf(row)[column]];
  if (!outcome) return `${name}: there is none`;
  const detail = sampleOf(row, column)?.querySelector(".ce-detail").textContent;
  return `${name}: ${data.labels[outcome]}${detail ? `: ${detail.slice(0, 200)}` : ""}`;
}

function show(cell) {
  document.getElementById("ce-cell").textContent = describe(cell);
}

function moveTo(row, column) {
  const last = [rows.length - 1, data.numbers.length - 1];
  rows[position.row].ariaSelected = "false";
  position.row = Math.min(Math.max(row, 0), last[0]);
  position.column = Math.min(Math.max(column, 0), last[1]);
  rows[position.row].ariaSelected = "true";
  map.setAttribute("aria-activedescendant", rows[position.row].id);
  const cells = rows[position.row].querySelector(".ce-cells");
  cursor.hidden = false;
  cursor.style.top = `${rows[position.row].offsetTop}px`;
  cursor.style.left = `calc(${cells.offsetLeft}px + ${position.column} * var(--ce-size))`;
  show(position);
}

function cellAt(event) {
  const row = rows.indexOf(event.target.closest(".ce-row"));
  if (row < 0) return null;
  const { left, width } = rows[row].querySelector(".ce-cells").getBoundingClientRect();
  const column = Math.floor(((event.clientX - left) / width) * data.numbers.length);
  return { row, column: Math.min(Math.max(column, 0), data.numbers.length - 1) };
}

const PAGE_ROWS = 10;
const moves = {
  ArrowUp: ({ row, column }) => [row - 1, column],
  ArrowDown: ({ row, column }) => [row + 1, column],
  ArrowLeft: ({ row, column }) => [row, column - 1],
  ArrowRight: ({ row, column }) => [row, column + 1],
  PageUp: ({ row, column }) => [row - PAGE_ROWS, column],
  PageDown: ({ row, column }) => [row + PAGE_ROWS, column],
  Home: ({ row, column }) => [row, 0],
  End: ({ row, column }) => [row, data.numbers.length - 1],
};

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in moves) {
    moveTo(...moves[event.key](position));
    cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  } else if (event.key === "Enter" || event.key === " ") chooseCell(position);
  else return;
  event.preventDefault();
}

function chooseCell({ row, column }) {
  moveTo(row, column);
  const sample = sampleOf(row, column);
  if (!chooseTask(row)) return;
  if (sample) sample.open = true;
  (sample ?? document.getElementById("ce-section-samples")).scrollIntoView();
  (sample?.querySelector("summary") ?? search).focus({ preventScroll: true });
}

function listenToMap() {
  rows.forEach((_, row) => paint(row));
  map.append(cursor);
  map.addEventListener("focus", () => moveTo(position.row, position.column));
  map.addEventListener("keydown", pressed);
  map.addEventListener("mousemove", (event) => {
    const cell = cellAt(event);
    if (cell) show(cell);
  });
  map.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell) chooseCell(cell);
  });
}

// Time and memory. Bars are too narrow for letters, so that each outcome has a pattern.

const shapes = {
  passed: "",
  failed: "/",
  compile_error: "x",
  timed_out: "\\",
  out_of_memory: "-",
  crashed: "|",
  exited: "+",
  output_limit: ".",
};

function drawHistogram(name, histogram) {
  if (!histogram.centers) return hide(name);
  Plotly.newPlot(
    `ce-${name}`,
    Object.entries(histogram.counts).map(([outcome, counts]) => ({
      type: "bar",
      name: `${data.letters[outcome]} ${data.labels[outcome]}`,
      x: histogram.centers,
      y: counts,
      width: histogram.width,
      customdata: histogram.labels,
      marker: {
        color: color(`--ce-${outcome}`),
        line: { color: gray, width: 1 },
        pattern: { shape: shapes[outcome], size: 5, solidity: 0.25, fgcolor: "#000", bgcolor: color(`--ce-${outcome}`) },
      },
      hovertemplate: `%{customdata}: %{y:,} ${data.labels[outcome]}<extra></extra>`,
    })),
    layout({
      barmode: "stack",
      showlegend: true,
      xaxis: axis({
        tickvals: histogram.ticks.map(([position]) => position),
        ticktext: histogram.ticks.map(([, label]) => label),
        tickangle: 0,
      }),
      yaxis: axis({ title: { text: "samples" } }),
    }),
    config,
  );
}

// The list of failing samples.

const search = document.getElementById("ce-search");
const task = document.getElementById("ce-task");
const outcome = document.getElementById("ce-outcome");
const lowerCaseTexts = new Map();

// Prompt and tests are left out: they belong to all samples of a task.
function searchText(sample) {
  if (!lowerCaseTexts.has(sample)) {
    const parts = sample.querySelectorAll(":scope > summary, .ce-sample > :not(.ce-task)");
    lowerCaseTexts.set(sample, [...parts].map((part) => part.textContent).join("\n").toLowerCase());
  }
  return lowerCaseTexts.get(sample);
}

// Prompt and tests of a task are once in the page, for all of its samples.
function addTask(sample) {
  const template = document.getElementById(`ce-task-${sample.dataset.row}`);
  if (!template || sample.querySelector(".ce-task")) return;
  const [prompt, tests] = template.content.cloneNode(true).children;
  sample.querySelector(".ce-sample").prepend(prompt);
  sample.querySelector(".ce-evidence").before(tests);
  for (const part of tests.querySelectorAll("pre")) {
    const line = part.children[sample.dataset.failingTestLine - part.dataset.firstLine];
    if (!line) continue;
    const mark = Object.assign(document.createElement("mark"), { className: line.className, title: "the line that failed" });
    mark.append(...line.childNodes);
    line.replaceWith(mark);
  }
}

function filter() {
  const query = search.value.trim().toLowerCase();
  let count = 0;
  for (const sample of samples) {
    sample.hidden =
      (task.value !== "" && sample.dataset.row !== task.value) ||
      (outcome.value !== "" && sample.dataset.outcome !== outcome.value) ||
      (query !== "" && !searchText(sample).includes(query));
    if (!sample.hidden) count += 1;
  }
  document.getElementById("ce-count").textContent = `${count} of ${samples.length}`;
  document.getElementById("ce-none").hidden = count > 0;
  labelButton();
}

// The view is in the page's address, so that a link opens the same one. A task's row may be another in the next report.

const fields = { q: search, task, outcome };
const taskOptions = task ? [...task.options] : [];
const valueOf = (field) => (field === task ? task.selectedOptions[0].dataset.name ?? "" : field.value);

function writeAddress() {
  const view = Object.entries(fields).map(([name, field]) => [name, valueOf(field)]);
  const text = new URLSearchParams(view.filter(([, value]) => value !== "")).toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function readAddress() {
  const view = new URLSearchParams(location.hash.slice(1));
  search.value = view.get("q") ?? "";
  outcome.value = view.get("outcome") ?? "";
  if (outcome.selectedIndex < 0) outcome.value = "";
  task.value = taskOptions.find((option) => option.dataset.name === view.get("task"))?.value ?? "";
  filter();
}

function applyChange() {
  filter();
  writeAddress();
}

// Opening thousands at once would be slow.
const maxOpened = 200;
const toOpen = () => samples.filter((sample) => !sample.hidden).slice(0, maxOpened);

function labelButton() {
  const isClosed = toOpen().some((sample) => !sample.open);
  document.getElementById("ce-open").textContent = isClosed ? "Open all" : "Close all";
}

function chooseTask(row) {
  const isListed = [...task.options].some((option) => option.value === String(row));
  if (!isListed) return false;
  task.value = String(row);
  search.value = outcome.value = "";
  applyChange();
  return true;
}

function listen() {
  for (const sample of samples) sample.addEventListener("toggle", () => addTask(sample));
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(applyChange, 150);
  });
  for (const field of [task, outcome]) field.addEventListener("change", applyChange);
  search.form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("ce-open").addEventListener("click", () => {
    const open = toOpen().some((sample) => !sample.open);
    for (const sample of open ? toOpen() : samples) sample.open = open;
    labelButton();
  });
  document.getElementById("ce-show-all").addEventListener("click", () => {
    search.value = task.value = outcome.value = "";
    applyChange();
    search.focus();
  });
  addEventListener("hashchange", readAddress);
  readAddress();
}

if (samples.length) listen();
drawCurve();
if (map) listenToMap();
drawHistogram("times", data.times);
drawHistogram("memory", data.memory);
