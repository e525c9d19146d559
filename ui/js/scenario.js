// The editor for scenarios. It shows the server's messages at the lines that they concern.
import { $, button, download, fill, h, heading, select } from "./dom.js";
import { act, attempt, call, calmly, inWorld, state, sureButton, when } from "./server.js";
import { timelineAsScenario } from "./copy.js";
import { timeline } from "./timeline.js";

let area = null, gutter = null, messages = [];
/** The last loaded text: until somebody changes it, the editor shows what runs whenever its panel appears. */
let loaded = "";

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
    if (area.value === loaded) load({ replaces: false }).catch(() => null);
    check();
  });
}

/**
 * Shows the world as a scenario: its data, its scenario's script, and its current network and faults. Unless it
 * `replaces` changes, a text that somebody has changed meanwhile stays.
 */
async function load({ replaces = true } = {}) {
  const world = state.world, parts = ["state", "script", "network", "faults"];
  const [held, script, { network }, { faults }] = await Promise.all(parts.map(each => call("GET", inWorld(each))));
  // The server's counts are not part of a rule, and a page's breakpoint ends with the page.
  const rules = faults.filter(each => !each.controller).map(({ matches, acted, holding, ...rule }) => rule);
  if (world !== state.world || !(replaces || area.value === loaded)) return;
  loaded = JSON.stringify({ ...held, ...script, network: network ?? undefined, ...(rules.length && { faults: rules }) }, null, 2);
  if (area.value !== loaded) show(loaded);
}

function show(text) {
  area.value = text;
  area.scrollTop = 0;
  number();
  checkText();
}

async function apply() {
  const scenario = await checkText();
  const done = scenario && await act("POST", "reset", { scenario }, "The world starts over with this scenario.");
  if (done) await attempt(() => load());
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
