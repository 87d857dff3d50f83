// Sliders over the model: verdict, capacity, latency and the packet roofline of one cell.

const SVG = "http://www.w3.org/2000/svg";
const BOX = { width: 320, height: 230, left: 46, right: 16, top: 24, bottom: 38 };
const GRIDS = {
  accesses: [0, ...Array.from({ length: 60 }, (_, n) => 10 ** (n / 59 * 5))],
  load: Array.from({ length: 81 }, (_, n) => 10 ** (n / 80 * 4 - 2)),
  packet: Array.from({ length: 61 }, (_, n) => 10 ** (n / 60 * 5 + 1)),
};
const AXES = {
  accesses: { low: 0, high: 1e5, ticks: [0, 1, 10, 100, 1e3, 1e4, 1e5] },
  load: { low: 0.01, high: 100, ticks: [0.01, 0.1, 1, 10, 100] },
  packet: { low: 10, high: 1e6, ticks: [10, 100, 1e3, 1e4, 1e5, 1e6] },
  rate: { low: 0.005, high: 200, ticks: [0.01, 0.1, 1, 10, 100] },
  time: { low: 1, high: 5000, ticks: [1, 10, 100, 1000] },
};

// Digits as Words.number prints them.
function digits(value, count = 3) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "-" : "∞";
  const text = Math.abs(value) >= 10 ** (count - 1) ? value.toFixed(0)
    : String(Number(value.toPrecision(count)));
  return text.replace(".", decimal);
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Logarithmic from 1 on where it begins at 0, as the figures of accesses are.
function scale(axis, from, to) {
  const zero = axis.low === 0 ? 0.4 : 0;
  const at = (value) => zero && value < 1 ? zero * value : zero + Math.log10(value / (zero ? 1 : axis.low));
  const length = at(axis.high);
  return (value) => from + (to - from) * at(value) / length;
}

function drawn(name, attributes, into) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  into.append(one);
  return one;
}

const short = (value) => value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : digits(value);

// A panel whose axes never move; ``curve`` and the others are what does.
function panel(into, title, x, y, labels) {
  const { width, height, left, right, top, bottom } = BOX;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, into);
  drawn("rect", { width, height, fill: "#fff" }, svg);
  const at = { x: scale(x, left, width - right), y: scale(y, height - bottom, top) };
  const quiet = { stroke: "#e3e3e3", "stroke-width": 0.7 };
  const text = (words, more) => { drawn("text", { "font-size": 9.5, fill: "#333", ...more }, svg).textContent = words; };
  for (const tick of x.ticks) {
    drawn("line", { x1: at.x(tick), x2: at.x(tick), y1: top, y2: height - bottom, ...quiet }, svg);
    text(short(tick), { x: at.x(tick), y: height - bottom + 12, "text-anchor": "middle" });
  }
  for (const tick of y.ticks) {
    drawn("line", { x1: left, x2: width - right, y1: at.y(tick), y2: at.y(tick), ...quiet }, svg);
    text(short(tick), { x: left - 4, y: at.y(tick) + 3, "text-anchor": "end" });
  }
  text(title, { x: left, y: 14, "font-size": 11.5 });
  text(labels[0], { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" });
  text(labels[1], { transform: `translate(11 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" });
  const bare = { fill: "none", "stroke-width": 1.6 };
  // What leaves the axes is cut off.
  const area = { x: left, y: top, width: width - left - right, height: height - top - bottom };
  const inside = drawn("svg", { ...area, viewBox: Object.values(area).join(" ") }, svg);
  return {
    at,
    line: drawn("path", { fill: "none", stroke: "#7f7f7f", "stroke-dasharray": "4 2" }, inside),
    ends: drawn("path", { ...bare, "stroke-width": 0.8, "stroke-dasharray": "1.5 2" }, inside),
    curve: drawn("path", bare, inside), bar: drawn("path", bare, inside), mark: drawn("circle", { r: 3.6 }, svg),
    svg,
  };
}

function pathOf(at, xs, ys) {
  let text = "";
  xs.forEach((x, n) => {
    if (Number.isFinite(ys[n]) && ys[n] > 0) text += `${text ? "L" : "M"}${at.x(x).toFixed(1)} ${at.y(ys[n]).toFixed(1)}`;
  });
  return text;
}

function put(one, place) {
  one.mark.setAttribute("visibility", place ? "visible" : "hidden");
  if (!place) return;
  one.mark.setAttribute("cx", one.at.x(place[0]));
  one.mark.setAttribute("cy", one.at.y(place[1]));
}

function coloured(one, colour) {
  for (const name of ["ends", "curve", "bar"]) one[name].setAttribute("stroke", colour);
  one.mark.setAttribute("fill", colour);
}

// A slider over a list of values, or a choice of names.
function control(into, about) {
  const label = document.createElement("label");
  const name = document.createElement("span"), shown = document.createElement("output");
  const choice = about.names !== undefined;
  const input = document.createElement(choice ? "select" : "input");
  name.textContent = about.label;
  if (choice) {
    about.names.forEach((text, n) => input.add(new Option(text, n)));
  } else {
    Object.assign(input, { type: "range", min: 0, max: about.values.length - 1, step: 1 });
  }
  input.value = about.start;
  label.append(name, input, shown);
  into.append(label);
  return {
    input,
    get value() {
      const value = about.values[Number(input.value)];
      if (!choice) shown.textContent = digits(value);
      return value;
    },
  };
}

class Explorer {
  constructor(home) {
    this.model = JSON.parse(home.dataset.model);
    const { words, paths, values } = this.model;
    const bar = document.createElement("div"), figures = document.createElement("div");
    bar.className = "controls";
    figures.className = "panels";
    this.sentence = document.createElement("p");
    this.sentence.setAttribute("role", "status");
    home.append(bar, this.sentence, figures);
    this.controls = {
      path: control(bar, { label: words.path, names: paths.map((one) => one.name), values: paths, start: 0 }),
    };
    for (const [name, about] of Object.entries(values)) this.controls[name] = control(bar, { label: words[name], ...about });
    this.capacity = panel(figures, words.capacity, AXES.accesses, AXES.rate, [words.per_packet, words.throughput]);
    this.latency = panel(figures, words.latency, AXES.load, AXES.time, [words.offered, words.mean_us]);
    this.roofline = panel(figures, words.roofline, AXES.packet, AXES.rate, [words.packet_ns, words.throughput]);
    for (const one of Object.values(this.controls)) one.input.addEventListener("input", () => this.redraw());
    home.hidden = false;
    this.redraw();
  }

  get cell() {
    return Object.fromEntries(Object.keys(this.model.values).map((name) => [name, this.controls[name].value]));
  }

  redraw() {
    const path = this.controls.path.value, cell = this.cell, found = predict(this.model, path, cell);
    const mean = latency(path, cell);
    for (const one of [this.capacity, this.latency, this.roofline]) coloured(one, path.colour);
    this.drawCapacity(path, cell, found);
    this.drawLatency(path, cell, mean);
    this.drawRoofline(cell, found);
    this.found = { ...found, mean };
    this.sentence.textContent = this.say(path, cell, found, mean);
  }

  drawCapacity(path, cell, found) {
    const { at, line, ends, curve, bar } = this.capacity;
    const all = GRIDS.accesses.map((accesses) => predict(this.model, path, { ...cell, memory_accesses: accesses }));
    curve.setAttribute("d", pathOf(at, GRIDS.accesses, all.map((one) => one.mpps)));
    ends.setAttribute("d", pathOf(at, GRIDS.accesses, all.map((one) => one.low))
      + pathOf(at, GRIDS.accesses, all.map((one) => one.high)));
    line.setAttribute("d", pathOf(at, [0, 1e5], [found.line, found.line]));
    bar.setAttribute("d", pathOf(at, [cell.memory_accesses, cell.memory_accesses], [found.low, found.high]));
    put(this.capacity, [cell.memory_accesses, found.mpps]);
  }

  drawLatency(path, cell, mean) {
    const { at, curve, svg } = this.latency;
    const known = mean !== null;
    const all = known ? GRIDS.load.map((load) => latency(path, { ...cell, offered_mpps: load })) : [];
    curve.setAttribute("d", pathOf(at, known ? GRIDS.load : [], all));
    svg.style.display = known ? "" : "none";  // no axes without anything in them
    put(this.latency, known ? [cell.offered_mpps, mean] : null);
  }

  drawRoofline(cell, found) {
    const { at, line, curve, bar } = this.roofline;
    const packetNs = 1e3 * cell.queues / found.service;
    curve.setAttribute("d", pathOf(at, GRIDS.packet, GRIDS.packet.map((ns) => Math.min(1e3 * cell.queues / ns, found.line))));
    line.setAttribute("d", pathOf(at, [10, 1e6], [found.line, found.line]));
    bar.setAttribute("d", pathOf(at, [packetNs, packetNs], [found.low, found.high]));
    put(this.roofline, [packetNs, found.mpps]);
  }

  say(path, cell, found, mean) {
    const { words, limits } = this.model;
    const values = {
      mpps: digits(found.mpps, 4), low: digits(found.low, 4), high: digits(found.high, 4),
      limit: limits[found.limit], line: digits(found.line, 4), percent: digits(100 * found.chance),
      load: digits(cell.offered_mpps), mean: mean === null ? "" : digits(mean),
    };
    return [
      filled(found.chance >= 0.5 ? words.yes : words.no, values),
      filled(mean === null ? words.no_latency : words.latency_is, values),
      ...(found.inside ? [] : [words.outside]),
    ].join(" ");
  }
}

const explorers = [...document.querySelectorAll(".explorer")].map((home) => new Explorer(home));
