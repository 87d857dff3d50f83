"use strict";
// Sorts tables, enlarges figures, gives the files inside the page, and turns it dark or light.
// Without it the page says the same; links then lead to the files beside it.

const words = document.body.dataset;
const decimal = words.decimal;

// ---- tables

// The first number of a cell, so that "≤ 240" and "12.3 KiB" have their place; null without one.
function number(text) {
  const found = text.match(/-?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?/i);
  if (!found) return null;
  const scale = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  const unit = text.match(/\b[KMG]iB\b/);
  return Number(found[0].replace(decimal, ".")) * (unit ? scale[unit[0]] : 1);
}

function sort(head, place) {
  const body = head.closest("table").tBodies[0];
  const up = head.getAttribute("aria-sort") !== "ascending";
  const shown = (row) => {
    const cell = row.cells[place];
    return (cell.querySelector("b") ?? cell).textContent.trim();
  };
  const rows = [...body.rows].map((row) => ({ row, text: shown(row), value: number(shown(row)) }));
  const blank = (one) => one.text === "" || one.text === "-";
  // A column of numbers may have words among them ("no"): those are less than any number.
  const numbers = rows.filter((one) => /^[^\p{L}]*\d/u.test(one.text)).length;
  const numeric = numbers > 0 && rows.every((one) => one.value !== null || blank(one) || numbers * 3 > rows.length);
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const compare = numeric
    ? (a, b) => (a.value ?? -Infinity) - (b.value ?? -Infinity) || 0
    : (a, b) => order.compare(a.text, b.text);
  rows.sort((a, b) => blank(a) - blank(b) || (up ? compare(a, b) : compare(b, a)));
  body.append(...rows.map((one) => one.row));
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
}

for (const head of document.querySelectorAll("thead th")) {
  if (head.closest("table").tBodies[0].rows.length < 2) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.title = words.sort;
  button.append(...head.childNodes);
  button.addEventListener("click", () => sort(head, head.cellIndex));
  head.append(button);
}

// ---- figures

const dialog = document.createElement("dialog");
const large = document.createElement("img");
const close = document.createElement("button");
close.type = "button";
close.textContent = "×";
close.title = words.close;
close.addEventListener("click", () => dialog.close());
large.addEventListener("click", () => large.classList.toggle("large"));
dialog.append(large, close);
document.body.append(dialog);

for (const image of document.querySelectorAll("figure img")) {
  const button = document.createElement("button");
  button.type = "button";
  button.title = words.enlarge;
  image.replaceWith(button);
  button.append(image);
  button.addEventListener("click", () => {
    large.src = image.src;
    large.alt = image.alt;
    large.classList.remove("large");
    dialog.showModal();
  });
}

// ---- files

const KINDS = { csv: "text/csv", pdf: "application/pdf", svg: "image/svg+xml", png: "image/png" };

async function unpacked(link) {
  const { packing, content } = link.dataset;
  const packed = Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0));
  if (packing !== "gzip") return packed;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function save(link) {
  const name = link.getAttribute("download");
  const given = document.createElement("a");
  given.download = name;
  given.href = URL.createObjectURL(
    new Blob([await unpacked(link)], { type: KINDS[name.split(".").pop()] ?? "text/plain" }),
  );
  given.click();
  setTimeout(() => URL.revokeObjectURL(given.href), 60000);
}

for (const link of document.querySelectorAll("a[data-content]")) {
  if (link.dataset.packing === "gzip" && !("DecompressionStream" in window)) continue;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    save(link);
  });
}
for (const link of document.querySelectorAll("a[data-picture]")) {
  link.addEventListener("click", () => {
    link.href = link.closest("figure").querySelector("img").src;
  });
}

// ---- dark and light

const theme = document.createElement("button");
theme.type = "button";
theme.className = "theme";
theme.textContent = words.theme;
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
document.body.prepend(theme);
