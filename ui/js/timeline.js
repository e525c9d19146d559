// The timeline: filters, rows, selection, and pale rows for what is due.
import { $, button, fill, h, select } from "./dom.js";
import { bytes, clockTime, counted, duration, milliseconds, oneLine, shortIDs } from "./format.js";
import { Rows, parsed } from "./entries.js";
import { View, isFiltering, noFilter } from "./filter.js";
import { RowList } from "./rows.js";
import { state, tell, when } from "./state.js";

const CAPACITY = 100_000;
const AHEAD = { answer: "The next piece of an answer", meal_log: "A meal is analysed", meal_socket_idle: "An idle meal socket ends",
  output: "Delayed bytes are sent", held: "What is held goes on", silence: "A silenced socket is reset" };

export const timeline = { rows: new Rows(), view: null, filter: noFilter(), chosen: null };

let list = null, due = [], unseen = 0, noteNumber = 0;

export function startTimeline() {
  const grid = $("grid");
  const body = h("div", { class: "grid-body", role: "rowgroup" });
  grid.append(h("div", { class: "grid-head", role: "rowgroup" }, h("div", { class: "r", role: "row", "aria-rowindex": "1" },
    [["n num", "No."], ["t", "Time"], ["lanes", "Socket"], ["v", "What"], ["s", ""], ["took", "Gap"], ["size", "Size"]].map(
      ([kind, name]) => h("span", { class: kind, role: "columnheader" },
        kind === "lanes" || !name ? h("span", { class: "hidden-text" }, name || "Content") : name)))), body);
  list = new RowList(grid, body, { height: 26, make: makeRow, fill: fillRow });
  body.addEventListener("click", event => {
    const index = Number(event.target.closest(".r")?.dataset.index);
    const row = timeline.view.rows[index];
    if (row && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      choose(row);
    }
  });
  grid.addEventListener("keydown", steer);
  $("newer").addEventListener("click", () => { list.toEnd(); showUnseen(0); });
  grid.addEventListener("scroll", () => { if (list.isAtEnd && unseen) showUnseen(0); }, { passive: true });
  when("clock", showDue);
  when("breaches", () => {
    if (timeline.filter.verdict) refilter();
    else list.update(length());
    drawFilters();
  });
  refilter();
  drawFilters();
}

const length = () => timeline.view.rows.length + (hasAhead() ? due.length : 0);
const hasAhead = () => !isFiltering(timeline.filter);

/** Takes a batch of events of the stream, or entries of a run. */
export function takeEvents(events) {
  const { rows, view } = timeline;
  const before = view.rows.length;
  const types = rows.types.size, users = rows.users.size;
  for (const { event, data } of events) {
    if (event === "missed") addMissed(data);
    else if (event === "world") tell("world-event", JSON.parse(data));
    else if (event === "verdicts") tell("verdicts-event", JSON.parse(data));
    else {
      if (event === "held" || event === "released") tell("held");
      addEntry(JSON.parse(data));
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

/** What the server says of entries that it no longer has: how many they are, or a sentence. */
function addMissed(data) {
  const missed = parsed(data)?.missed;
  addNote(missed ? `The journal no longer has ${missed.toLocaleString("en")} entries before this one.` : `${data}.`,
    timeline.rows.all.at(-1)?.time ?? new Date().toISOString());
}

/** Adds a row about entries that are not there. */
export function addNote(text, time) {
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
  fill($("empty"), timeline.rows.all.length ? "No entry passes the filter."
    : state.runs ? "The client of this run sent nothing."
      : ["Nothing happened yet. Point the app at ", url ? h("code", null, url) : "the server", ", and its requests appear here."]);
}

/** Forgets everything: another world, or a server that was restarted. */
export function clearTimeline() {
  timeline.rows = new Rows();
  timeline.chosen = null;
  due = [];
  list.isAtEnd = true;
  showUnseen(0);
  refilter();
  drawFilters();
  tell("chosen");
}

/** Applies the filter to all rows. */
function refilter({ keeps = false } = {}) {
  const before = timeline.view?.rows.length ?? 0;
  timeline.view = new View(timeline.filter, state.breaches);
  for (const row of timeline.rows.all) timeline.view.add(row);
  if (keeps) list.shift(before - timeline.view.rows.length);
  settle(Infinity);
  if (timeline.chosen?.head && !keeps && !list.isAtEnd) list.reveal(timeline.chosen.head.place, { centre: true });
}

export function setFilter(change) {
  Object.assign(timeline.filter, change);
  refilter();
  drawFilters();
  tell("address");
}

function drawFilters() {
  const { filter, rows } = timeline;
  const form = $("filters");
  let text = form.querySelector("input[type=search]");
  if (!text) {
    text = h("input", { type: "search", placeholder: "Filter  /", "aria-label": "Filter by text", spellcheck: "false" });
    let timer = null;
    text.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => setFilter({ text: text.value }), rows.all.length > 20_000 ? 250 : 60);
    });
    form.addEventListener("submit", event => event.preventDefault());
    form.append(text, button("Filters", () => form.classList.toggle("open"), { class: "filters-toggle" }), h("div", { class: "more" }));
  }
  if (document.activeElement !== text) text.value = filter.text;
  const choice = (key, label, options) =>
    select(label, [["", label], ...options], filter[key], value => setFilter({ [key]: value }), { class: filter[key] && "set", "data-key": key });
  const toggle = (key, on, off, label) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: filter[key] === on,
    change: event => setFilter({ [key]: event.target.checked ? on : off }) }), label);
  const broken = [...new Set([...state.breaches.values()].flat())].sort();
  const focused = document.activeElement?.dataset?.key;
  const more = fill(form.querySelector(".more"),
    choice("kind", "All kinds", [["requests", "Requests"], ["sockets", "Sockets"], ["frames", "Frames"], ["other", "Faults and notes"]]),
    choice("type", "All types", [...new Set([...rows.types, filter.type])].filter(Boolean).sort()),
    choice("direction", "Both directions", [["in", "→ from the client"], ["out", "← from the server"]]),
    choice("status", "Any status", [["2xx", "2xx"], ["4xx", "4xx"], ["5xx", "5xx"], ["none", "No response"]]),
    (rows.users.size > 1 || filter.user) && choice("user", "All users", [...new Set([...rows.users, filter.user])].filter(Boolean).map(
      user => [user, user.length > 13 ? `${user.slice(0, 8)}…` : user])),
    choice("verdict", "Any verdict", [["broken", "Breaches"], ["faults", "Touched by a fault"], ["unmatched", "Unmatched"],
      ...new Set([...broken, ...(filter.verdict.includes("/") ? [filter.verdict] : [])])]),
    filter.socket && button(`Socket ${filter.socket} ×`, () => setFilter({ socket: "" }), { "aria-pressed": "true" }),
    toggle("chunks", "fold", "all", "Fold chunks"), toggle("pings", "hide", "show", "Hide pings"),
    isFiltering(filter) && button("Clear", () => {
      Object.assign(timeline.filter, noFilter(), { chunks: filter.chunks, pings: filter.pings });
      setFilter({});
    }, { class: "quiet" }));
  if (focused) more.querySelector(`[data-key=${focused}]`)?.focus();
}

// MARK: Rows

function makeRow(slot) {
  const cells = ["n", "t", "lanes", "v", "s", "took", "size"].map(kind =>
    h("span", { class: kind, role: "gridcell" }, kind === "n" && h("a", { tabindex: "-1" })));
  const row = h("div", { class: "r", role: "row", id: `row-${slot}` }, cells);
  row.cells = cells;
  return row;
}

function fillRow(element, index) {
  const row = timeline.view.rows[index];
  element.dataset.index = index;
  element.setAttribute("aria-rowindex", String(index + 2));
  if (!row) return fillAhead(element, due[index - timeline.view.rows.length], index);
  const [n, t, lanes, v, s, took, size] = element.cells;
  const broken = state.breaches.get(row.number);
  const isChosen = timeline.chosen && (timeline.chosen.head ?? timeline.chosen) === row;
  element.className = `r ${row.kind}${broken ? " broken" : ""}${isChosen ? " chosen" : ""}`;
  element.setAttribute("aria-selected", String(Boolean(isChosen)));
  if (isChosen) $("grid").setAttribute("aria-activedescendant", element.id);
  n.firstChild.textContent = row.number > 0 ? row.number : "";
  if (row.number > 0) n.firstChild.setAttribute("href", entryLink(row.number));
  else n.firstChild.removeAttribute("href");
  t.textContent = clockTime(row.time);
  drawLanes(lanes, row);
  v.textContent = row.verb;
  v.className = `v ${row.direction === "in" ? "up" : row.direction === "out" ? "down" : ""}`;
  const failing = row.status >= 500 || (row.kind === "exchange" && !row.status) || row.isUnclean ? "bad" : row.status >= 400 ? "warn" : "";
  const said = row.fold ? oneLine(row.fold.text) : row.more;
  fill(s, row.kind === "exchange" && h("span", { class: `status ${failing}` }, row.status || "—"),
    h("span", { class: `what ${row.kind === "closed" ? failing : ""}` }, shortIDs(row.type)),
    row.fold?.rows.length > 1 && h("span", { class: "tag" }, `× ${row.fold.rows.length}`),
    row.took >= 1 && h("span", { class: "tag", title: "From the request to its answer" }, duration(row.took)),
    row.faults.length > 0 && row.kind !== "fault" && h("span", { class: "tag fault" }, row.faults.join(", ")),
    row.entry.delivery && h("span", { class: "tag fault" }, row.entry.delivery.replaceAll("_", " ")),
    row.entry.unmatched && h("span", { class: "tag breach" }, row.entry.unmatched.replaceAll("_", " ")),
    broken && h("span", { class: "tag breach", title: broken.join(", ") }, broken.length > 1 ? counted(broken.length, "breach").replace("breachs", "breaches") : broken[0]),
    said && h("span", { class: "more" }, said));
  took.textContent = sinceBefore(index, row);
  size.textContent = row.size ? bytes(row.fold ? row.fold.rows.reduce((sum, each) => sum + each.size, 0) : row.size) : "";
}

const sinceBefore = (index, row) => {
  const before = timeline.view.rows[index - 1];
  return before && row.at > before.at ? `+${duration(row.at - before.at)}` : "";
};

function fillAhead(element, step, index) {
  const [n, t, lanes, v, s, took, size] = element.cells;
  element.className = `r ahead${index === timeline.view.rows.length ? " first-ahead" : ""}`;
  element.setAttribute("aria-selected", "false");
  n.firstChild.textContent = "";
  n.firstChild.removeAttribute("href");
  t.textContent = clockTime(step.time);
  const socket = timeline.rows.sockets.get(step.connection);
  drawLanes(lanes, { lane: socket?.lane ?? -1, lanes: socket && socket.lane >= 0 ? 1 << socket.lane : 0, connection: step.connection });
  v.textContent = "";
  fill(s, h("span", { class: "what" }, AHEAD[step.what] ?? step.what),
    step.consultation && h("span", { class: "more" }, `consultation ${step.consultation.slice(0, 8)}…`));
  const ahead = state.clock ? milliseconds(step.time) - milliseconds(state.clock.now) : 0;
  took.textContent = ahead > 0 ? `in ${duration(ahead)}` : "";
  size.textContent = "";
}

function drawLanes(cell, row) {
  const count = timeline.rows.laneCount;
  while (cell.childElementCount < count) cell.append(document.createElement("i"));
  const chosen = timeline.chosen?.lane >= 0 && timeline.rows.sockets.get(timeline.chosen.connection);
  const mine = chosen && row.number >= chosen.openedNumber && row.number <= (chosen.closed?.number ?? Infinity) ? chosen.lane : -1;
  for (let lane = 0; lane < count; lane += 1) {
    const isOwn = row.lane === lane;
    let name = row.lanes & (1 << lane) ? "on" : "";
    if (isOwn) {
      name += row.begins ? " begin dot hollow" : row.ends ? " end dot hollow" : row.kind === "frame" || row.kind === "fault" ? " dot" : "";
      if (row.direction === "in") name += " in";
    }
    if (lane === mine) name += " mine";
    cell.children[lane].className = name;
  }
}

/** Shows what is due ahead of now. */
function showDue() {
  due = state.clock?.due ?? [];
  list.update(length());
  showEmpty();
}

// MARK: Selection

export const entryLink = number => `#timeline?${new URLSearchParams({ ...(state.world !== "default" && { world: state.world }), entry: number })}`;

export function choose(row, { reveals = false } = {}) {
  timeline.chosen = row;
  if (row && reveals && row.head) {
    list.isAtEnd = false;
    list.reveal(row.head.place, { centre: true });
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
  if (!row.head) setFilter({ ...noFilter(), pings: row.isPing ? "show" : timeline.filter.pings, chunks: timeline.filter.chunks });
  choose(row, { reveals: true });
  return true;
}

/** Moves by so many visible rows; `sameSocket` skips those of others. */
export function move(step, { sameSocket = false } = {}) {
  const { rows } = timeline.view;
  if (!rows.length) return;
  const from = timeline.chosen?.head;
  let index = from ? from.place + step : step < -1 ? 0 : rows.length - 1;
  if (sameSocket && from) while (rows[index] && rows[index].connection !== from.connection) index += step;
  if (sameSocket && !rows[index]) return;
  index = Math.max(0, Math.min(rows.length - 1, index));
  choose(rows[index]);
  list.reveal(index);
}

function steer(event) {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: list.pageSize, PageUp: -list.pageSize, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  event.preventDefault();
  if (event.key === "End") {
    move(timeline.view.rows.length);
    list.toEnd();
  } else move(event.key === "Home" ? -timeline.view.rows.length : steps[event.key]);
}
