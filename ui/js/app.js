// Starts the page: panels, address, keyboard, and the stream of the shown world.
import { $, ask, fill, h, toast } from "./dom.js";
import { labelled } from "./format.js";
import { attempt, call, follow, state, tell, when } from "./server.js";
import {
  addCondition, addNote, chooseNumber, choose, clearTimeline, move, setFilter, startTimeline, takeEvents, timeline, toggleFold,
} from "./timeline.js";
import { startDetail } from "./detail.js";
import { nextEvent, run, startClock } from "./clock.js";
import { brokenCount, isBroken, nextBreach, openVerdict, startVerdicts, takeVerdicts, warnedCount } from "./verdicts.js";
import { readWorlds, showWorld, startData, startWorlds } from "./worlds.js";
import { openSockets, startBreakpoints, startFaults, startSockets } from "./live.js";
import { startScenario } from "./scenario.js";
import { startOverview } from "./overview.js";

const PANELS = ["timeline", "verdicts", "sockets", "breakpoints", "faults", "scenario", "data", "worlds"];
/** The action of each key. */
const KEYS = {
  Enter: ["Open or close a row of folded chunks", () => timeline.chosen && toggleFold(timeline.chosen)],
  j: ["Next row; arrows, Page Up, Page Down, Home and End also work", () => move(1)], k: ["Previous row", () => move(-1)],
  b: ["Next breach", () => nextBreach()],
  "/": ["Filter", () => { location.hash = "#timeline"; $("filters").firstElementChild.focus(); }],
  p: ["Show or hide pings", () => addCondition("pings=show", { toggles: true })],
  c: ["Show every chunk of an answer, or fold the chunks", () => addCondition("chunks=show", { toggles: true })],
  Escape: ["Close the detail, then clear the filter", () => (timeline.chosen ? choose(null) : setFilter(""))],
  n: ["Move a manual clock to the next event", () => nextEvent()], r: ["Let a manual clock run, or pause it", () => run()],
  "?": ["Show this list; 1 to 8 open the panels", () => showKeys()],
};

let stream = null, wantedEntry = null;

/** The world to show without an address: in a report, the first run in which something is broken. */
const firstWorld = () => (state.runs ? (state.runs.find(isBroken) ?? state.runs[0]).id : "default");

const panels = () => (state.runs ? ["timeline", "verdicts"] : PANELS);

// MARK: Address

function readAddress() {
  const [panel, query] = location.hash.slice(1).split("?");
  const parts = new URLSearchParams(query);
  const wanted = panels().includes(panel) ? panel : state.runs?.some(isBroken) ? "verdicts" : "timeline";
  const world = parts.get("world");
  if (world && world !== state.world) showWorld(world);
  showPanel(wanted);
  if (wanted === "timeline" && query) {
    const filter = parts.get("words") ?? "";
    if (filter !== timeline.filter && (filter || !parts.has("entry"))) setFilter(filter);
    const number = Number(parts.get("entry"));
    if (number && timeline.chosen?.number !== number && !chooseNumber(number)) wantedEntry = number;
  }
  if (wanted === "verdicts" && parts.has("at")) openVerdict(parts.get("at"));
}

function writeAddress() {
  const parts = new URLSearchParams();
  if (state.world !== firstWorld()) parts.set("world", state.world);
  if (state.panel === "timeline") {
    if (timeline.filter) parts.set("words", timeline.filter);
    if (timeline.chosen) parts.set("entry", timeline.chosen.number);
  }
  history.replaceState(null, "", `#${state.panel}${parts.size ? "?" + parts : ""}`);
}

function showPanel(id) {
  state.panel = id;
  for (const each of PANELS) $(each).hidden = each !== id;
  drawNav();
  tell("panel");
}

function drawNav() {
  /** By panel: the number of its items, and the style of that number. */
  const counts = { verdicts: brokenCount() ? [brokenCount(), "broken", "bad"] : [warnedCount(), "warnings"], sockets: [openSockets().length, "open"],
    breakpoints: [state.held.length, "held", "held"], worlds: [state.worlds.length > 1 ? state.worlds.length : 0, ""] };
  const shown = JSON.stringify([state.panel, counts, panels().length]);
  if ($("nav").dataset.shown === shown) return;
  $("nav").dataset.shown = shown;
  const hadFocus = $("nav").contains(document.activeElement);
  const badge = ([count, what, look = ""] = []) =>
    count > 0 && h("span", { class: `count ${look}` }, count, h("span", { class: "hidden-text" }, ` ${what}`));
  fill($("nav"), panels().map(id =>
    h("a", { href: `#${id}`, "aria-current": id === state.panel && "page" }, labelled(id), badge(counts[id]))));
  if (hadFocus) $("nav").querySelector("[aria-current]")?.focus();
}

// MARK: Keyboard

function startKeyboard() {
  document.querySelector(".skip").addEventListener("click", event => {
    event.preventDefault();
    (state.panel === "timeline" ? $("grid") : $("main")).focus();
  });
  $("help").addEventListener("click", showKeys);
  document.addEventListener("keydown", event => {
    const isTyping = event.target.matches("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog")) return;
    if (isTyping && event.key === "Escape") event.target.blur();
    if (isTyping) return;
    const panel = panels()[Number(event.key) - 1];
    if (panel) location.hash = `#${panel}`;
    else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key][1]();
    else return;
    event.preventDefault();
  });
}

const showKeys = () => ask("Keyboard", null, null, h("dl", null, Object.entries(KEYS).map(([key, [what]]) =>
  [h("dt", null, h("kbd", null, key)), h("dd", null, what)])));

// MARK: The stream

const LINKS = { live: "Live", lost: "Offline", gone: "World gone", file: "Recorded" };

function showLink(is) {
  $("link").dataset.is = is;
  $("link").title = is === "lost" ? "The server does not respond; this page retries every few seconds." : LINKS[is];
  fill($("link"), h("span", { class: "link-text" }, LINKS[is]));
}

function followWorld() {
  stream?.abort();
  stream = new AbortController();
  clearTimeline();
  follow({
    signal: stream.signal, onLink: showLink,
    onEvents: events => {
      takeEvents(events);
      if (wantedEntry && chooseNumber(wantedEntry)) wantedEntry = null;
    },
    onRestart: () => {
      clearTimeline();
      toast("The server was restarted. The timeline starts over.");
    },
  });
}

function showRun() {
  const run = state.runs.find(each => each.id === state.world);
  clearTimeline();
  showLink("file");
  const first = run.journal[0];
  if (first?.number > 1) addNote(`This file does not contain the entries before ${first.number}.`, first.time);
  takeEvents(run.journal.map(entry => ({ event: entry.kind, data: JSON.stringify(entry) })));
  if (run.verdicts) takeVerdicts({ ...run.verdicts, troubles: run.troubles ?? [] });
}

async function start() {
  // A report contains its runs, an element for each.
  const runs = [...document.querySelectorAll("script.run")].map(element => JSON.parse(element.textContent));
  state.runs = runs.length ? runs : null;
  const sections = PANELS.slice(1).map(id => h("section", { id, class: "panel page", "aria-label": labelled(id), hidden: true }));
  $("main").append(...sections);
  startKeyboard();
  // A select of the form for worlds has the built-in scenarios.
  if (!state.runs) await attempt(async () => { state.scenarios = (await call("GET", "scenarios")).scenarios; });
  for (const begin of [startTimeline, startDetail, startClock, startVerdicts, startSockets, startBreakpoints, startFaults,
    startScenario, startData, startWorlds, startOverview]) begin();
  when("entries counts worlds", drawNav);
  when("address", writeAddress);
  when("world", state.runs ? showRun : followWorld);
  addEventListener("hashchange", readAddress);
  if (state.runs) {
    state.world = firstWorld();
    $("world-label").textContent = "Run";
    document.title = `${runs[0].title} · fitiq-mock`;
  } else {
    state.world = new URLSearchParams(location.hash.split("?")[1]).get("world") ?? state.world;
  }
  await readWorlds();
  tell("world");
  readAddress();
}

start();
