const findVisible = (selector) => [...document.querySelectorAll(selector)].find((element) => element.offsetParent);

// Ctrl+Enter, or Cmd+Enter, presses the Run button of the open tab, even from within an editor.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const run = findVisible("button.ce-run");
    if (!run || run.disabled) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    run.click();
  },
  true,
);

// Each update replaces all results. This keeps those open that the visitor opened.
const openTitles = new Set();
document.addEventListener(
  "toggle",
  (event) => {
    const { title } = event.target.dataset;
    if (!title || !event.target.closest(".ce-results")) return;
    if (event.target.open) openTitles.add(title);
    else openTitles.delete(title);
  },
  true,
);

function keepOpen() {
  const results = document.querySelectorAll(".ce-results .ce-result");
  if (!results.length) openTitles.clear();
  for (const result of results) if (openTitles.has(result.dataset.title) && !result.open) result.open = true;
}

// On a phone the results are below everything else. Run brings them into view if they are out of sight.
document.addEventListener("click", (event) => {
  if (!event.target.closest("button.ce-run")) return;
  const status = findVisible(".ce-status");
  const { top } = status.getBoundingClientRect();
  if (top >= 0 && top < innerHeight / 2) return;
  // The page has no results yet. Without this height it could not be scrolled that far.
  status.parentElement.style.minHeight = "100vh";
  status.scrollIntoView();
});

// The sample of a selected row appears below the table, perhaps out of sight.
let openedSample = null;
function scrollToOpened() {
  const sample = document.querySelector(".ce-opened .ce-result");
  if (sample && sample !== openedSample) sample.scrollIntoView({ block: "nearest" });
  openedSample = sample;
}

// Gradio gives all editors the same name for screen readers, and the table's filter none.
function nameFields() {
  for (const filter of document.querySelectorAll("input.search-input:not([aria-label])"))
    filter.setAttribute("aria-label", filter.title);
  for (const editor of document.querySelectorAll('.cm-content[aria-label="Code input container"]')) {
    const name = editor.closest(".block")?.querySelector("label")?.textContent.trim();
    if (name) editor.setAttribute("aria-label", `${name}. Escape, then Tab, leaves the editor.`);
  }
}

new MutationObserver(() => {
  keepOpen();
  scrollToOpened();
  nameFields();
}).observe(document, { childList: true, subtree: true });

// What the editors hold outlives the page: for a refresh, in this tab's storage, and in links, after their "#".
const codeEvalEditors = (() => {
  const KEY = "code-eval-editors";
  const PREFIX = "#editors=";
  // Messengers and mail programs cut longer links.
  const MAX_LINK_CHARS = 8000;
  const MAX_BYTES = 1 << 20;

  // A browser that forbids storage, as some do within another site's page, keeps nothing.
  function storage() {
    try {
      return window.sessionStorage;
    } catch {
      return null;
    }
  }

  // Both are read before the page is there, whose first values would replace what is stored.
  const stored = storage()?.getItem(KEY);
  const link = location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : null;
  // A link to this page in its own tab changes nothing but the part after "#".
  addEventListener("hashchange", () => location.hash.startsWith(PREFIX) && location.reload());

  function kept(values) {
    const candidates = values.slice(0, -4).map((text) => text ?? "");
    while (candidates.length > 1 && !candidates.at(-1).trim()) candidates.pop();
    const [tests, ...choices] = values.slice(-4);
    return JSON.stringify([candidates, tests ?? "", ...choices]);
  }

  async function read(stream) {
    const chunks = [];
    let size = 0;
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
      size += value.length;
      if (size > MAX_BYTES) throw new RangeError("a link holds too much");
      chunks.push(value);
    }
  }

  const through = (bytes, stream) => read(new Blob([bytes]).stream().pipeThrough(stream));

  async function pack(text) {
    const bytes = await through(text, new CompressionStream("deflate-raw"));
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  async function unpack(packed) {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
  }

  function note(kind, text, url) {
    const box = document.createElement("div");
    box.className = `ce-message ce-message-${kind}`;
    box.role = "status";
    box.append(text);
    if (url) box.append(" ", Object.assign(document.createElement("a"), { href: url, textContent: "Link to these editors" }));
    return box.outerHTML;
  }

  return {
    save: (values) => void storage()?.setItem(KEY, kept(values)),

    async copyLink(values) {
      const url = `${location.origin}${location.pathname}${PREFIX}${await pack(kept(values))}`;
      if (url.length > MAX_LINK_CHARS) {
        const [length, limit] = [url.length, MAX_LINK_CHARS].map((number) => number.toLocaleString("en"));
        return note(
          "warning",
          `There is no link: it would have ${length} characters, and at most ${limit} arrive whole. ` +
            "Shorten or remove a candidate.",
        );
      }
      try {
        await navigator.clipboard.writeText(url);
      } catch {
        return note("info", "This browser lets no page copy. Copy the link itself:", url);
      }
      return note("info", "The link is copied. It holds the candidates, the tests and the choices.", url);
    },

    // Return what the server is to check, as JSON: what a link brought, or what the editors held before a refresh.
    async read() {
      if (link === null) return stored ? `{"values": ${stored}}` : "";
      // Later edits, not the link, are to survive a refresh.
      history.replaceState(null, "", location.pathname + location.search);
      try {
        return JSON.stringify({ link: true, values: JSON.parse(await unpack(link)) });
      } catch {
        return "a link that is broken";
      }
    },
  };
})();
