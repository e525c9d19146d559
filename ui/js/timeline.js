// The timeline: filters, rows, selection, and pale rows for coming events.
import { $, button, fill, h, options } from "./dom.js";
import { bytes, clockTime, duration, milliseconds, shortIDs } from "./format.js";
import { state, tell, when } from "./server.js";
import { Rows } from "./entries.js";
import { View, isNarrow, mistake, withWord } from "./filter.js";
import { rowList } from "./rows.js";

const CAPACITY = 100_000;
const COLUMNS = { n: "No.", t: "Time", lanes: "Socket", v: "What", s: "Content", took: "Gap", size: "Size" };
const AHEAD = { answer: "The next part of an answer is sent", meal_log: "A meal is analysed", output: "Delayed bytes are sent",
  meal_socket_idle: "An idle meal socket ends", held: "A held item continues", silence: "A silenced socket is reset",
  replay: "The next recorded frame is sent" };

export const timeline = { rows: new Rows(), view: null, filter: "", chosen: null };

let list = null, due = [], unseen = 0, noteNumber = 0;
/** The numbers of the first chunks of open folds. */
const openFolds = new Set();

export function startTimeline() {
  const grid = $("grid");
  const body = h("div", { class: "grid-body", role: "rowgroup" });
  const heads = Object.entries(COLUMNS).map(([kind, name]) => h("span", { class: kind, role: "columnheader" },
    kind === "lanes" || kind === "s" ? h("span", { class: "hidden-text" }, name) : name));
  const head = h("div", { class: "r", role: "row", "aria-rowindex": "1" }, heads);
  grid.append(h("div", { class: "grid-head", role: "rowgroup" }, head), body);
  list = rowList(grid, body, { height: 26, make: makeRow, fill: fillRow });
  body.addEventListener("click", event => {
    const row = timeline.view.rows[event.target.closest(".r")?.dataset.index];
    if (row && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      // Where the detail covers the list, a row that stands for chunks only opens.
      if (!row.isFold || !matchMedia("(max-width: 899px)").matches) choose(row);
      toggleFold(row);
    }
  });
  grid.addEventListener("keydown", steer);
  $("newer").addEventListener("click", () => { list.toEnd(); showUnseen(0); });
  grid.addEventListener("scroll", () => { if (list.isAtEnd && unseen) showUnseen(0); }, { passive: true });
  when("clock", () => {
    due = state.clock?.due ?? [];
    list.update(length());
    showEmpty();
  });
  when("fresh", () => list.update(length()));
  when("breaches", () => {
    if (timeline.filter.includes("verdict=")) return refilter();
    list.update(length());
    drawFilters();
  });
  makeFilters();
  refilter();
}

const length = () => timeline.view.rows.length + (mistake(timeline.filter) || isNarrow(timeline.filter) ? 0 : due.length);

/** Takes a batch of events of the stream, or entries of a run. */
export function takeEvents(events) {
  const { rows } = timeline, before = timeline.view.rows.length;
  const types = rows.types.size, users = rows.users.size;
  for (const { event, data } of events) {
    const value = JSON.parse(data);
    if (event === "missed") addNote(`The journal no longer has the ${value.missed.toLocaleString("en")} entries before this one.`);
    else if (event === "world" || event === "verdicts") tell(`${event}-event`, value);
    else {
      if (event === "held" || event === "released") tell("held");
      addEntry(value);
    }
  }
  if (rows.all.length > CAPACITY) {
    rows.drop(rows.all.length - CAPACITY * 0.9);
    refilter({ keeps: true });
  }
  settle(before);
  if (types !== rows.types.size || users !== rows.users.size) drawFilters();
}

function addEntry(entry) {
  if (timeline.rows.byNumber.has(entry.number)) return;
  timeline.view.add(timeline.rows.add(entry));
}

/** Adds a row about missing entries. */
export function addNote(text, time = timeline.rows.all.at(-1)?.time ?? new Date().toISOString()) {
  noteNumber -= 1;
  addEntry({ number: noteNumber, time, kind: "note", text });
}

function settle(before) {
  const grown = timeline.view.rows.length - before;
  if (!list.isAtEnd && grown > 0) showUnseen(unseen + grown);
  $("grid").style.setProperty("--lanes", Math.max(1, timeline.rows.laneCount));
  $("grid").setAttribute("aria-rowcount", String(length() + 1));
  list.update(length());
  showEmpty();
  tell("entries");
}

function showUnseen(count) {
  unseen = count;
  $("newer").hidden = !count;
  fill($("newer"), `↓ ${count.toLocaleString("en")} new`);
}

function showEmpty() {
  const isEmpty = length() === 0;
  $("empty").hidden = !isEmpty;
  if (!isEmpty) return;
  const url = state.worlds.find(world => world.id === state.world)?.url;
  fill($("empty"), mistake(timeline.filter) ?? (timeline.rows.all.length ? "No entry matches the filter."
    : state.runs ? "The client sent nothing in this run."
      : ["No traffic yet. Point the app at ", url ? h("code", null, url) : "the server", ", and its traffic will appear here."]));
}

/** Forgets everything, for another world or a restarted server. */
export function clearTimeline() {
  timeline.rows = new Rows();
  timeline.chosen = null;
  openFolds.clear();
  due = [];
  list.isAtEnd = true;
  showUnseen(0);
  refilter();
  tell("chosen");
}

/** Applies the filter to all rows. */
function refilter({ keeps = false } = {}) {
  const before = timeline.view?.rows.length ?? 0;
  timeline.view = new View(timeline.filter, timeline.rows, state.breaches, openFolds);
  for (const row of timeline.rows.all) timeline.view.add(row);
  if (keeps) list.shift(before - timeline.view.rows.length);
  settle(Infinity);
  drawFilters();
  if (timeline.chosen?.place >= 0 && !keeps && !list.isAtEnd) list.reveal(timeline.chosen.place, { centre: true });
}

export function setFilter(filter) {
  timeline.filter = filter;
  const [words] = $("filters").children;
  if (words.value !== filter) words.value = filter;
  refilter();
  tell("address");
}

/** Adds a condition to the filter, or takes it out if it is there and `toggles`. */
export const addCondition = (word, options) => setFilter(withWord(timeline.filter, word, options));

function makeFilters() {
  let timer = null;
  const words = h("input", { type: "search", placeholder: "Filter  /", "aria-label": "Filter by words", spellcheck: "false",
    title: "Words that an entry contains, and conditions: status=4xx path=/goals user=… connection=3 type=… verdict=broken",
    input: () => {
      clearTimeout(timer);
      timer = setTimeout(() => setFilter(words.value), timeline.rows.all.length > 20_000 ? 250 : 60);
    } });
  const only = h("select", { "aria-label": "Add a condition", change: () => setFilter(withWord(words.value, only.value)) });
  $("filters").addEventListener("submit", event => event.preventDefault());
  fill($("filters"), words, only, button("Clear", () => setFilter(""), { class: "quiet" }));
}

function drawFilters() {
  const { filter, rows } = timeline, [, only, clear] = $("filters").children;
  clear.hidden = !filter;
  const broken = [...new Set([...state.breaches.values()].flat())].sort();
  const group = (label, key, values) => values.length > 0 && h("optgroup", { label },
    options(values.map(each => [`${key}=${[each].flat()[0]}`, [each].flat().at(-1)])));
  fill(only, options([["", "Only…"]]),
    group("Kind", "kind", [["exchange", "Requests"], ["opened", "Openings"], ["frame", "Frames"], ["closed", "Endings"],
      ["fault", "Faults"], ["held", "Held items"]]),
    group("Direction", "direction", [["client_to_server", "→ from the client"], ["server_to_client", "← from the server"]]),
    group("Status", "status", ["2xx", "4xx", "5xx"]), group("Frame", "type", [...rows.types].sort()),
    group("Verdict", "verdict", [["broken", "Breaches"], ...broken]), group("Trouble", "fault", [["any", "Affected by a fault"]]),
    group("Operation", "unmatched", [["true", "No known operation"]]),
    rows.users.size > 1 && group("User", "user", [...rows.users].sort()),
    group("Also", "pings", [["show", "Show pings"]]), group("Chunks", "chunks", [["show", "Every chunk of an answer"], ["hide", "None"]]));
  only.value = "";
}

// MARK: Rows

function makeRow(slot) {
  const cells = Object.keys(COLUMNS).map(kind =>
    h("span", { class: kind, role: "gridcell" }, kind === "n" && h("a", { tabindex: "-1" })));
  const row = h("div", { class: "r", role: "row", id: `row-${slot}` }, cells);
  row.cells = cells;
  return row;
}

function fillRow(element, index) {
  const row = timeline.view.rows[index] ?? aheadRow(due[index - timeline.view.rows.length]);
  const [n, t, lanes, v, s, took, size] = element.cells;
  const { number, kind, status, entry } = row, numbers = row.chunks?.map(each => each.number) ?? [number];
  const broken = [...new Set(numbers.flatMap(each => state.breaches.get(each) ?? []))], isGrave = numbers.some(each => state.grave.has(each));
  const { chosen } = timeline, isChosen = chosen === row || (row.isFold && chosen?.fold === row && chosen.place === row.place);
  const isFirstAhead = kind === "ahead" && index === timeline.view.rows.length;
  element.dataset.index = index;
  element.setAttribute("aria-rowindex", String(index + 2));
  element.className = ["r", kind, row.isFold && "fold", broken.length > 0 && (isGrave ? "broken" : "warned"), isChosen && "chosen", isFirstAhead && "first-ahead",
    numbers.some(each => state.fresh.has(each)) && "flash"].filter(Boolean).join(" ");
  element.setAttribute("aria-selected", String(isChosen));
  if (isChosen) $("grid").setAttribute("aria-activedescendant", element.id);
  n.firstChild.textContent = number > 0 ? number : "";
  if (number > 0) n.firstChild.setAttribute("href", entryLink(number));
  else n.firstChild.removeAttribute("href");
  t.textContent = clockTime(row.time);
  drawLanes(lanes, row);
  v.textContent = row.verb;
  v.className = `v ${row.direction}`;
  const failing = status >= 500 || (kind === "exchange" && !status) || row.isUnclean ? "bad" : status >= 400 ? "warn" : "";
  const tag = (text, colour = "", title) => text && h("span", { class: `tag ${colour}`, title }, text);
  fill(s, kind === "exchange" && h("span", { class: `status ${failing}` }, status || "—"),
    h("span", { class: `what ${kind === "closed" ? failing : ""}` }, shortIDs(row.type)),
    // Where there is no room for the columns.
    row.isFold && h("span", { class: "sums" }, h("span", null, `× ${row.chunks.length} `), bytes(row.size), h("span", null, ` ${row.gap}`)),
    tag(row.took >= 1 && duration(row.took), "", "Time from the request to its answer"),
    tag(kind !== "fault" && row.faults.join(", "), "fault"), tag(entry.delivery?.replaceAll("_", " "), "fault"),
    tag(entry.unmatched?.replaceAll("_", " "), "breach"),
    tag(broken.length > 1 ? `${broken.length} breaches` : broken[0], isGrave ? "breach" : "should", broken.join(", ")),
    row.more && h("span", { class: "more" }, row.more));
  const since = row.at - timeline.view.rows[index - 1]?.at;
  took.textContent = row.gap ?? (since > 0 ? `+${duration(since)}` : "");
  size.textContent = row.size ? bytes(row.size) : "";
}

/** A coming event as a row. */
function aheadRow({ time, what, connection, consultation }) {
  const ahead = state.clock ? milliseconds(time) - milliseconds(state.clock.now) : 0;
  const lane = timeline.rows.sockets.get(connection)?.lane ?? -1;
  const more = consultation ? `consultation ${consultation.slice(0, 8)}…` : "", gap = ahead > 0 ? `in ${duration(ahead)}` : "";
  return { kind: "ahead", time, type: AHEAD[what] ?? what, more, gap, verb: "", direction: "", faults: [], entry: {}, connection,
    lane, lanes: lane < 0 ? 0 : 1 << lane };
}

function drawLanes(cell, row) {
  const count = timeline.rows.laneCount;
  while (cell.childElementCount < count) cell.append(document.createElement("i"));
  for (let lane = 0; lane < count; lane += 1) {
    let name = row.lanes & (1 << lane) ? "on" : "";
    if (row.lane === lane) {
      const isDot = row.kind === "frame" || row.kind === "fault";
      name += row.begins ? " begin dot hollow" : row.ends ? " end dot hollow" : isDot ? " dot" : "";
      if (row.direction === "in") name += " in";
    }
    cell.children[lane].className = name;
  }
}

// MARK: Selection

export const entryLink = number =>
  `#timeline?${new URLSearchParams({ ...(state.world !== "default" && { world: state.world }), entry: number })}`;

export function choose(row, { reveals = false } = {}) {
  timeline.chosen = row;
  if (row?.place >= 0 && reveals) {
    list.isAtEnd = false;
    list.reveal(row.place, { centre: true });
  }
  list.update(length());
  if (!row) $("grid").removeAttribute("aria-activedescendant");
  tell("chosen");
  tell("address");
}

/** Shows an entry, and forgets the filter if it hides it. False if the page does not have it. */
export function chooseNumber(number) {
  const row = timeline.rows.byNumber.get(number);
  if (!row) return false;
  if (row.fold && row.place === row.fold.place) toggleFold(row.fold);
  if (row.place < 0) setFilter(row.isPing ? "pings=show" : "");
  choose(row, { reveals: true });
  return true;
}

/** Opens a row that stands for chunks, or closes it. */
export function toggleFold({ isFold, number }) {
  if (!isFold) return;
  if (!openFolds.delete(number)) openFolds.add(number);
  refilter();
  const row = timeline.rows.byNumber.get(number);
  if (timeline.chosen?.number === number) choose(row.fold);
}

/** Moves by this many visible rows. */
export function move(step) {
  const { rows } = timeline.view;
  if (!rows.length) return;
  const from = timeline.chosen?.place ?? -1;
  const index = Math.max(0, Math.min(rows.length - 1, from >= 0 ? from + step : step < -1 ? 0 : rows.length - 1));
  choose(rows[index]);
  list.reveal(index);
}

function steer(event) {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: list.pageSize, PageUp: -list.pageSize, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  event.preventDefault();
  move(steps[event.key]);
  if (event.key === "End") list.toEnd();
}
