// The editor for scenarios. It shows the server's messages at the lines that they concern.
import { $, button, download, fill, h, heading, select } from "./dom.js";
import { act, attempt, call, calmly, inWorld, state, sureButton, when } from "./server.js";
import { timelineAsScenario } from "./copy.js";
import { timeline } from "./timeline.js";

let area = null, gutter = null, messages = [];
/**
 * The last text that was loaded or applied, and what ran then. Until somebody edits the text, the editor loads what runs
 * if that has changed when the panel appears.
 */
let loaded = "", ran = null;

export function startScenario() {
  area = h("textarea", { spellcheck: "false", "aria-label": "Scenario", wrap: "off" });
  gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  const check = calmly(300, checkText);
  area.addEventListener("input", () => { number(); check(); });
  area.addEventListener("scroll", () => { gutter.scrollTop = area.scrollTop; });
  const lead = "A scenario describes what exists, what coaches say, and what goes wrong, in YAML or JSON. The editor checks it as you type.";
  const list = select("Built-in scenario", [["", "Built-in…"], ...state.scenarios.map(each => each.name)], "", async name => {
    const found = name && await attempt(() => call("GET", `scenarios/${name}`));
    list.value = "";
    if (found) show(found.text);
  });
  const question = "The world starts over with this scenario: its sockets close, and its journal is emptied.";
  fill($("scenario"), heading("Scenario", lead),
  h("div", { class: "tools" }, list,
    button("Load this world's scenario", () => attempt(() => load())),
    button("Save the timeline as a scenario", () => show(timelineAsScenario(timeline.rows, "recorded"))),
    button("Download", () => download(/^\s*\{/.test(area.value) ? "scenario.json" : "scenario.yaml", area.value))),
  h("div", { class: "editor" }, gutter, area),
  h("div", { role: "status" }, h("ul", { class: "messages", id: "messages" })),
  h("div", { class: "tools" }, sureButton("Apply", question, apply, { class: "main" })));
  number();
  when("panel world", () => {
    if (state.panel !== "scenario") return;
    follow().catch(() => null);
    check();
  });
}

/** What runs in a world, apart from its data: the scenario's script, and the current network and faults. */
async function running(world) {
  const [script, { network }, { faults }] = await Promise.all(["script", "network", "faults"].map(each => call("GET", inWorld(each))));
  // The server's counts are not part of a rule, and a page's breakpoint ends with the page.
  const rules = faults.filter(each => !each.controller).map(({ matches, acted, holding, ...rule }) => rule);
  return { world, scenario: { ...script, network: network ?? undefined, ...(rules.length && { faults: rules }) } };
}

async function follow() {
  const now = JSON.stringify(await running(state.world));
  if (now !== ran && area.value === loaded) await load({ replaces: false });
}

/** Shows the world as a scenario. Unless this `replaces` edits, a text that was edited in the meantime stays. */
async function load({ replaces = true } = {}) {
  const world = state.world;
  const [held, now] = await Promise.all([call("GET", inWorld("state")), running(world)]);
  if (world !== state.world || !(replaces || area.value === loaded)) return;
  ran = JSON.stringify(now);
  loaded = JSON.stringify({ ...held, ...now.scenario }, null, 2);
  if (area.value !== loaded) show(loaded);
}

function show(text) {
  area.value = text;
  area.scrollTop = 0;
  number();
  checkText();
}

async function apply() {
  const text = area.value, scenario = await checkText();
  const done = scenario && await act("POST", "reset", { scenario }, "The world starts over with this scenario.");
  if (done) await attempt(async () => { [loaded, ran] = [text, JSON.stringify(await running(state.world))]; });
  return done;
}

/** Shows the server's messages about the text; returns the scenario as a value, or nothing if it has mistakes. */
async function checkText() {
  const text = area.value;
  const answer = await call("POST", "check", { text }).catch(error => ({ mistakes: [{ message: error.message }] }));
  if (text === area.value) say(answer.mistakes);
  return answer.scenario;
}

function say(list) {
  messages = list;
  number();
  const item = each => h("li", null, each.line && button(`Line ${each.line}`, () => goTo(each)), h("span", null, each.message));
  fill($("messages"), messages.map(item));
}

function number() {
  const wrong = new Set(messages.map(each => each.line));
  fill(gutter, area.value.split("\n").map((line, index) => h("div", { class: wrong.has(index + 1) && "wrong" }, index + 1)));
}

function goTo({ line, column }) {
  const at = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1) + (column ?? 1) - 1;
  area.focus();
  area.setSelectionRange(at, at);
  area.scrollTop = Math.max(0, line * 19 - area.clientHeight / 2);
}
