// The editor for scenarios. The server's messages stand at the lines that they are about.
import { $, button, download, fill, h, heading } from "./dom.js";
import { act, call, calmly, state, sureButton, when } from "./server.js";
import { timelineAsScenario } from "./copy.js";
import { timeline } from "./timeline.js";

const START = `name: mine
summary: A coach of few words, and goals that fail.
answers: [{when: {content: protein}, text: About 1.6 g for each kilogram of body weight.}]
faults: [{name: goals-down, on: GET /api/v1/goals, status: 503, retry_after: 2}]
`;

let area = null, gutter = null, messages = [];

export function startScenario() {
  area = h("textarea", { spellcheck: "false", "aria-label": "Scenario", value: START, wrap: "off" });
  gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  const check = calmly(300, checkText);
  area.addEventListener("input", () => { number(); check(); });
  area.addEventListener("scroll", () => { gutter.scrollTop = area.scrollTop; });
  const lead = "What exists, what coaches answer, and what goes wrong, in YAML or JSON. It is checked as you type.";
  const question = "The world starts over with this scenario: its sockets close, and its journal is emptied.";
  fill($("scenario"), heading("Scenario", lead),
  h("div", { class: "tools" },
    button("Load this world", async () => {
      const world = await act("GET", "state");
      if (world) show(JSON.stringify(world, null, 2));
    }),
    button("Save the timeline as a scenario", () => show(timelineAsScenario(timeline.rows, "recorded"))),
    button("Download", () => download(/^\s*\{/.test(area.value) ? "scenario.json" : "scenario.yaml", area.value))),
  h("div", { class: "editor" }, gutter, area),
  h("div", { role: "status" }, h("ul", { class: "messages", id: "messages" })),
  h("div", { class: "tools" }, sureButton("Apply", question, apply, { class: "main" })));
  number();
  when("panel", () => { if (state.panel === "scenario") check(); });
}

function show(text) {
  area.value = text;
  area.scrollTop = 0;
  number();
  checkText();
}

async function apply() {
  const scenario = await checkText();
  if (scenario) return act("POST", "reset", { scenario }, "The world starts over with this scenario.");
}

/** What the server says about the text; the scenario as a value, or nothing if it has mistakes. */
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
