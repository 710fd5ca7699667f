"use strict";
const data = JSON.parse(document.getElementById("ce-data").textContent);
const samples = [...document.querySelectorAll("#ce-samples > details")];
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const gray = color("--ce-axis");
const lines = "rgba(124, 135, 151, 0.3)";
const config = { displayModeBar: false, responsive: true };

// Plotly reads texts as HTML of a kind.
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const short = (text, most) => plain(text.length > most ? `${text.slice(0, most - 1)}…` : text);

function layout(more) {
  return {
    margin: { l: 56, r: 16, t: 12, b: 44 },
    height: 300,
    paper_bgcolor: "rgba(0, 0, 0, 0)",
    plot_bgcolor: "rgba(0, 0, 0, 0)",
    font: { color: gray },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    ...more,
  };
}
const axis = (more) => ({ gridcolor: lines, zeroline: false, fixedrange: true, ...more });

function hide(name) {
  document.getElementById(`ce-section-${name}`).hidden = true;
}

// pass@k over k.

function curveTraces(points, name, rank, line, fill) {
  const k = points.map((each) => each.k);
  const traces = [];
  if (points.every((each) => each.low !== null))
    traces.push({
      x: [...k, ...k.toReversed()],
      y: [...points.map((each) => each.high), ...points.map((each) => each.low).toReversed()],
      fill: "toself",
      fillcolor: fill,
      line: { width: 0 },
      mode: "lines",
      hoverinfo: "skip",
      showlegend: false,
    });
  traces.push({
    x: k,
    y: points.map((each) => each.mean),
    name,
    legendrank: rank,
    mode: k.length > 30 ? "lines" : "lines+markers",
    line: { color: line },
    text: points.map((each) =>
      each.low === null ? "" : `, from ${(100 * each.low).toFixed(1)}% to ${(100 * each.high).toFixed(1)}%`,
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
      ...curveTraces(data.pass_hat_k, "pass^k", 2, "#d97706", "rgba(217, 119, 6, 0.18)"),
      ...curveTraces(data.pass_at_k, "pass@k", 1, "#6366f1", "rgba(99, 102, 241, 0.22)"),
    ],
    layout({
      xaxis: axis({ title: { text: "k" }, tickmode: "linear", tick0: last > 10 ? 0 : 1, dtick: Math.ceil(last / 10) }),
      yaxis: axis({ tickformat: ".0%", range: [-0.03, 1.03] }),
    }),
    config,
  );
}

// Tasks × attempts.

function details() {
  const found = new Map();
  for (const each of samples)
    found.set(`${each.dataset.row} ${each.dataset.attempt}`, each.querySelector(".ce-detail").textContent);
  return found;
}

function cellText(row, column, outcome, detailOf) {
  const { tasks, attempts } = data.heat_map;
  const title = `<b>${short(tasks[row], 60)}</b>, attempt ${attempts[column]}: `;
  if (!outcome) return `${title}no result yet`;
  const detail = detailOf.get(`${row} ${attempts[column]}`);
  return `${title}${data.labels[outcome]}${detail ? `<br>${short(detail, 100)}` : ""}`;
}

function drawHeatMap() {
  const { tasks, attempts, cells, outcomes } = data.heat_map;
  if (!attempts.length) return hide("heat-map");
  const names = Object.keys(data.labels);
  const colors = names.map((each) => color(`--ce-${each}`));
  const detailOf = details();
  const rows = cells.map((row) => [...row].map((letter) => outcomes[letter]));
  const rowHeight = tasks.length <= 40 ? 18 : tasks.length <= 200 ? 9 : 5;
  const every = Math.ceil(14 / rowHeight);
  const ticks = tasks.map((_, row) => row).filter((row) => row % every === 0);
  const box = document.getElementById("ce-heat-map");
  const left = Math.min(150, 24 + 6.5 * Math.max(...tasks.map((each) => each.length)));
  const gap = rowHeight > 9 && attempts.length <= 60 ? 1 : 0;
  // Cells are neither too narrow to be hit nor as wide as the page.
  box.style.minWidth = `${left + 16 + 4 * attempts.length}px`;
  box.style.maxWidth = `${left + 16 + Math.max(60 * attempts.length, 200)}px`;
  Plotly.newPlot(
    box,
    [
      {
        type: "heatmap",
        z: rows.map((row) => row.map((each) => (each ? names.indexOf(each) : null))),
        text: rows.map((row, at) => row.map((each, column) => cellText(at, column, each, detailOf))),
        hovertemplate: "%{text}<extra></extra>",
        hoverongaps: true,
        zmin: -0.5,
        zmax: names.length - 0.5,
        // Each outcome has its band of the scale.
        colorscale: colors.flatMap((each, at) => [
          [at / names.length, each],
          [(at + 1) / names.length, each],
        ]),
        showscale: false,
        xgap: gap,
        ygap: gap,
      },
    ],
    layout({
      height: 40 + rowHeight * tasks.length + 12,
      margin: { l: left, r: 16, t: 40, b: 12 },
      hoverlabel: { align: "left" },
      xaxis: axis({
        side: "top",
        title: { text: "attempt", standoff: 4 },
        showgrid: false,
        tickvals: attempts.map((_, at) => at).filter((at) => at % Math.ceil(attempts.length / 20) === 0),
        ticktext: attempts.map(String).filter((_, at) => at % Math.ceil(attempts.length / 20) === 0),
      }),
      yaxis: axis({
        autorange: "reversed",
        showgrid: false,
        tickvals: ticks,
        ticktext: ticks.map((row) => short(tasks[row], 18)),
        tickfont: { size: 11 },
      }),
    }),
    config,
  );
  box.on("plotly_click", (event) => choose(event.points[0].y));
}

// Time and memory.

function drawHistogram(name, histogram) {
  if (!histogram.centers) return hide(name);
  Plotly.newPlot(
    `ce-${name}`,
    Object.entries(histogram.counts).map(([outcome, counts]) => ({
      type: "bar",
      name: data.labels[outcome],
      x: histogram.centers,
      y: counts,
      width: histogram.width,
      text: histogram.labels,
      textposition: "none",
      marker: { color: color(`--ce-${outcome}`) },
      hovertemplate: `%{text}: %{y:,} ${data.labels[outcome]}<extra></extra>`,
    })),
    layout({
      barmode: "stack",
      showlegend: false,
      xaxis: axis({
        tickvals: histogram.ticks.map(([place]) => place),
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
const texts = new Map();

function textOf(sample) {
  if (!texts.has(sample)) texts.set(sample, sample.textContent.toLowerCase());
  return texts.get(sample);
}

function filter() {
  const wanted = search.value.trim().toLowerCase();
  let count = 0;
  for (const each of samples) {
    each.hidden =
      (task.value !== "" && each.dataset.row !== task.value) ||
      (outcome.value !== "" && each.dataset.outcome !== outcome.value) ||
      (wanted !== "" && !textOf(each).includes(wanted));
    if (!each.hidden) count += 1;
  }
  document.getElementById("ce-count").textContent = `${count} of ${samples.length}`;
  nameButton();
}

// Thousands at once would not be quick to open.
const mostOpened = 200;
const seen = () => samples.filter((each) => !each.hidden).slice(0, mostOpened);

function nameButton() {
  document.getElementById("ce-open").textContent = seen().some((each) => !each.open) ? "Open all" : "Close all";
}

function choose(row) {
  const found = [...task.options].some((each) => each.value === String(row));
  if (!found) return;
  task.value = String(row);
  search.value = outcome.value = "";
  filter();
  document.getElementById("ce-section-samples").scrollIntoView();
}

function listen() {
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 150);
  });
  for (const each of [task, outcome]) each.addEventListener("change", filter);
  search.form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("ce-open").addEventListener("click", () => {
    const open = seen().some((each) => !each.open);
    for (const each of open ? seen() : samples) each.open = open;
    nameButton();
  });
  filter();
}

if (samples.length) listen();
drawCurve();
drawHeatMap();
drawHistogram("times", data.times);
drawHistogram("memory", data.memory);
