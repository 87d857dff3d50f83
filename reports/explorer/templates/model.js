// The fitted model, evaluated in the page: the same formulas as linerate.models, from the same
// constants. A test holds its numbers to those of model.predict.

const FACTORS = ["memory_accesses", "queues", "frame_bytes", "link_gbps"];
const SUSTAINED = 0.99, SATURATING = 0.999, OVERLOADED = 1.02, BELOW = 0.8, SETUP_SCV = 0.3;
const finite = (value) => value === null ? Infinity : value;

const lineRate = (cell) => cell.link_gbps * 1e3 / (8 * (cell.frame_bytes + 20));

function growth(law, q, one, two) {
  if (law === "power") return q ** one;
  if (law === "amdahl") return 1 + one * (q - 1);
  if (law === "tapered") return q > 1 ? 1 + one * Math.max(q - 1, 1) ** two : 1;
  if (law === "usl") return 1 + one * (q - 1) + two * q * (q - 1);
  return 1;
}

function grown(path, law, prefix, q) {
  const names = { power: ["exponent"], amdahl: ["sigma"], tapered: ["sigma", "taper"], usl: ["sigma", "kappa"] };
  return growth(law, q, ...(names[law] ?? []).map((name) => path.constants[prefix + name]));
}

// Rate of all servers, and the stage that sets it.
function service(path, cell) {
  const c = path.constants, q = cell.queues;
  const g = grown(path, path.law, "", q);
  const copied = c.byte_ns * cell.frame_bytes, program = c.access_ns * cell.memory_accesses;
  const base = (c.base_ns + copied) * g;
  const servers = path.single ? 1 : q;
  if (path.stages === 2) {
    const arriving = Math.min(lineRate(cell), cell.offered_mpps ?? Infinity) / q;
    const busy = Math.min(arriving * base / 1e3, 1);
    const user = (c.user_ns + copied + program) * (1 + (grown(path, path.user_law, "user_", q) - 1) * busy);
    const whole = user + c.crowding * base;
    const root = Math.sqrt(Math.max(whole ** 2 - 4 * c.crowding * base ** 2, 0));
    const held = user > base ? 0.5 * (whole + root) : base;
    return { mpps: servers * 1e3 / held, stage: user > base ? "user_stage" : "kernel_stage" };
  }
  const held = path.single ? base + program * g : base + program;
  return { mpps: servers * 1e3 / held, stage: "service" };
}

// The smallest limit that is not the servers.
function ceiling(path, cell, nic) {
  let mpps = lineRate(cell), name = "line";
  if (path.single && cell.queues > 1) [mpps, name] = [mpps / cell.queues, "socket"];
  if (nic < SATURATING * mpps) [mpps, name] = [nic, "nic"];
  return { mpps, name };
}

// Doublings by which a cell lies outside what was measured, factor by factor.
function distances(path, cell) {
  return Object.fromEntries(FACTORS.map((name) => {
    const offset = name === "memory_accesses" ? 1 : 0;
    const [low, high] = path.domain[name].map((end) => finite(end) + offset);
    const value = cell[name] + offset;
    if (value >= low && value <= high) return [name, 0];
    const apart = Math.abs(Math.log2(value / (value < low ? low : high)));
    return [name, Math.min(Math.max(Number.isNaN(apart) ? 10 : apart, 1e-9), 10)];
  }));
}

// How much farther a cell may lie for want of runs that vary a factor.
function slack(path, cell, served) {
  const gains = { queues: 1, memory_accesses: -1, frame_bytes: -1 };
  const inside = { ...cell };
  let low = 0, high = 0;
  for (const [name, most] of Object.entries(gains)) {
    const [least, greatest] = path.domain[name];
    const fixed = name !== "frame_bytes" && least === greatest;
    if (!fixed && !path.hidden) continue;
    const offset = name === "memory_accesses" ? 1 : 0;
    inside[name] = Math.min(Math.max(cell[name], least), greatest);
    const gain = most * Math.log((cell[name] + offset) / (inside[name] + offset));
    low += Math.min(gain, 0);
    high += Math.max(gain, 0);
  }
  const taken = low < 0 || high > 0 ? Math.log(served.mpps / service(path, inside).mpps) : 0;
  return { below: Math.max(taken - low, 0), above: path.hidden ? Infinity : Math.max(high - taken, 0) };
}

function bucketOf(path, stage, accesses) {
  const ofStage = path.buckets.filter((one) => one.stage === stage);
  const fitting = ofStage.length ? ofStage : path.buckets.filter((one) => one.stage === null);
  return fitting.findLast((one) => one.above < accesses);
}

// Smoothed share of scores that are at least as needed.
function shareAbove(bucket, needed) {
  if (!bucket.scores.length) return needed <= 0 ? 1 : 0;
  let below = 0, end = bucket.scores.length;
  while (below < end) {
    const middle = (below + end) >> 1;
    if (bucket.scores[middle] < needed) below = middle + 1; else end = middle;
  }
  const above = bucket.worth * (1 - below / bucket.scores.length);
  return (above + (needed <= 0 ? 0.5 : 0)) / (bucket.worth + 0.5);
}

function chanceOf(bucket, needed, wider, loose) {
  if (loose.below === 0 && loose.above === 0) return shareAbove(bucket, needed / wider);
  const above = loose.above === Infinity ? 1.5 * Math.max(needed, 0) : loose.above;
  const steps = [...Array(9).keys()].map((n) => -loose.below + n * (above + loose.below) / 8);
  return steps.reduce((sum, step) => sum + shareAbove(bucket, (needed - step) / wider), 0) / 9;
}

// What model.predict says of one cell without a load.
function predict(model, path, asked) {
  const cell = { ...asked, offered_mpps: Infinity };
  const line = lineRate(cell), served = service(path, cell), top = ceiling(path, cell, finite(model.nic));
  const apart = distances(path, cell);
  const distance = FACTORS.reduce((sum, name) => sum + apart[name], 0);
  const wider = FACTORS.reduce((sum, name) => sum + path.wider[name] * apart[name], 1);
  const loose = slack(path, cell, served);
  const bucket = bucketOf(path, served.stage, cell.memory_accesses);
  const byService = served.mpps < top.mpps;
  const reach = bucket.scores.length ? bucket.half * wider : 0.5 * (byService ? wider : distance);
  const margin = Math.exp(model.ceiling_half);
  const belowLine = top.mpps < SUSTAINED * line;
  const needed = Math.log(SUSTAINED * line / served.mpps);
  return {
    line, service: served.mpps, inside: distance === 0,
    limit: byService ? served.stage : top.name,
    mpps: Math.min(served.mpps, top.mpps, line),
    low: Math.min(served.mpps * Math.exp(-reach - loose.below), top.mpps / margin, line),
    high: Math.min(served.mpps * Math.exp(reach + loose.above), top.mpps * margin, line),
    chance: belowLine ? 0 : chanceOf(bucket, needed, wider, loose),
  };
}

// ---- latency

// Chance of no arrival during a service, and of more than 0, 1, .. places - 1: a gamma time of this
// squared coefficient of variation (negative binomial), or a constant one (Poisson).
function arrivals(rho, scv, places) {
  const constant = scv < 1e-7, shape = 1 / scv, share = scv * rho / (1 + scv * rho);
  const count = places + Math.ceil(rho + 40 * Math.sqrt(rho * (1 + rho * scv))) + Math.ceil(60 * (1 + scv * rho));
  const chance = new Float64Array(count);
  chance[0] = Math.exp(constant ? -rho : -shape * Math.log1p(scv * rho));
  for (let n = 1; n < count; n++) chance[n] = chance[n - 1] * (constant ? rho / n : share * (n - 1 + shape) / n);
  const more = new Float64Array(places);
  let sum = 0;
  for (let n = count - 1; n > 0; n--) {
    sum += chance[n];
    if (n <= places) more[n - 1] = Math.min(sum, 1);
  }
  return { none: chance[0], more };
}

// Mean time in a queue of so many places: M/G/1/K by its embedded chain.
function sojournNs(load, serviceNs, scv, places) {
  const rho = load * serviceNs * 1e-3, { none, more } = arrivals(rho, scv, places);
  const weight = new Float64Array(places);
  weight[0] = 1;
  for (let state = 0; state < places - 1; state++) {
    let up = weight[0] * more[state];
    for (let n = 1; n <= state; n++) up += weight[n] * more[state - n + 1];
    weight[state + 1] = up / Math.max(none, 1e-300);
    if (weight[state + 1] > 1e100) {
      const by = weight[state + 1];
      for (let n = 0; n <= state + 1; n++) weight[n] /= by;
    }
  }
  const total = weight.reduce((sum, one) => sum + one, 0);
  const norm = weight[0] / total + rho, lost = Math.max(1 - 1 / norm, 0);
  const packets = weight.reduce((sum, one, n) => sum + n * one, 0) / total / norm + places * lost;
  return packets / (load * 1e-3 * (1 - lost));
}

function waking(load, setupUs) {
  const setup = 1e3 * setupUs, gathered = load * 1e-3 * setup;
  return setup * (1 + gathered * (1 + SETUP_SCV) / 2) / (1 + gathered);
}

// Mean latency in us of a cell under a load; null where none is known of its path.
function latency(path, cell) {
  const own = path.latency;
  if (!own) return null;
  const serviceNs = 1e3 * cell.queues / service(own.server, cell).mpps;
  const load = Math.min(cell.offered_mpps, lineRate(cell)) / cell.queues;
  const rho = load * serviceNs * 1e-3;
  if (rho <= BELOW) {
    const waiting = rho * serviceNs / (2 * (1 - rho));
    return own.fixed_us + 1e-3 * (serviceNs + waiting + waking(load, own.setup_us)) + own.stall_wait_us / (1 - rho);
  }
  if (rho >= OVERLOADED) return own.fixed_us + own.ring_packets * serviceNs * 1e-3;
  const scv = 2e3 * own.stall_wait_us / (rho * serviceNs);
  const places = Math.min(Math.max(Math.round(own.ring_packets), 1), 16384);
  return own.fixed_us + 1e-3 * (sojournNs(load, serviceNs, scv, places) + waking(load, own.setup_us));
}
