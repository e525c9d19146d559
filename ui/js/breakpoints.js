// Breakpoints, and what they hold: continue, change, drop, answer in its place, or step to the next.
import { $, ask, button, field, fill, form, h, heading, inWords, select } from "./dom.js";
import { content, duration, milliseconds, quietTarget } from "./format.js";
import { act, call, inWorld } from "./api.js";
import { members } from "./form.js";
import { collection } from "./panel.js";
import { CONTROLLER, calmly, state, tell, when } from "./state.js";
import { worldNow } from "./clock.js";

const DIRECTIONS = { client_to_server: "from the client", server_to_client: "from the server" };
const { name, enabled, direction, timeout, match: { properties: { endpoint, requests, socket, connections, type, ...ofFrames } } } = FORMS.breakpoint;
const { text } = ofFrames;
const requested = { endpoint: { ...endpoint, enum: Object.values(FORMS.endpoints), open: true }, text, requests };
const MATCHES = { frame: { ...ofFrames, socket, connections }, request: requested, response: requested, handshake: { socket, connections } };
const HEAD = { fields: { fields: true, long: true, description: "Lines such as Accept: text/plain. Those about the body's length follow from it." } };
/** What can be changed of what is held, and what an answer in its place has. */
const CHANGES = { request: { method: { text: true }, target: { text: true }, ...HEAD }, response: { status: {}, ...HEAD }, frame: {} };
const ANSWER = { status: { example: "503" }, ...HEAD, text: { label: "Body", text: true, long: true } };

let list = null, breakpoints = [];
const cards = new Map();

export function startBreakpoints() {
  list = collection({
    id: "breakpoint-list", label: "Breakpoints", path: "breakpoints", empty: "No breakpoint is set.", taken: taken => { breakpoints = taken; },
    columns: [["On"], ["Name"], ["Holds", "mono text"], ["For", "num"], ["Matched", "num"], ["Held", "num"], ["Now", "num"], [""]],
    row: (each, does) => [does.toggle(each), each.name, [each.on, each.on === "frame" && DIRECTIONS[each.direction], inWords(each.match)].filter(Boolean).join("  "),
      each.timeout, each.matches, each.acted, each.holding, [does.remove(each)]],
  });
  fill($("breakpoints"), heading("Breakpoints", "What a breakpoint catches waits here before the other side sees it. It goes on by itself after 30 seconds, or when this page is closed."),
    h("div", { id: "held" }), list.place, makeForm());
  const read = calmly(500, () => !state.runs && Promise.all([readHeld(), list.read()]));
  when("held clock panel", read);
  when("world", () => { breakpoints = []; state.held = []; read(); });
  setInterval(() => { if (breakpoints.length && !document.hidden) read(); }, 1000);
}

async function readHeld() {
  const world = state.world, path = inWorld("held");
  const answer = await call("GET", path).catch(() => null);
  if (!answer || world !== state.world) return;
  state.held = answer.held;
  tell("counts");
  const present = new Set(state.held.map(each => `${path}/${each.held}`));
  for (const [key, shown] of cards) if (!present.has(key)) { shown.remove(); cards.delete(key); }
  for (const each of state.held) {
    const key = `${path}/${each.held}`;
    if (!cards.has(key)) {
      cards.set(key, h("section", { class: "card held-item" }));
      $("held").append(cards.get(key));
      // The list has long bodies cut; what is changed has to be whole.
      call("GET", key).then(whole => card(cards.get(key), whole)).catch(() => null);
    }
    const left = state.clock ? milliseconds(each.until) - worldNow() : 0;
    const said = cards.get(key).querySelector(".left");
    if (said) fill(said, left > 0 && `goes on in ${duration(left)}`, each.behind > 0 && `, ${each.behind} more behind it`);
  }
}

/** The schema and the value of a body: as text if a text area gives back what it was given, and as base64 otherwise. */
function bodyOf(holder, key) {
  const body = content(holder, key);
  const isText = body?.base64 == null && !/\r(?!\n)/.test(body?.text ?? "") && !(/\r/.test(body?.text) && /(^|[^\r])\n/.test(body.text));
  const value = isText ? body?.text ?? "" : body.base64 ?? btoa(Array.from(body.bytes, byte => String.fromCharCode(byte)).join(""));
  return [isText ? "text" : "base64", { label: isText ? "Body" : "Body, as base64", text: true, long: true }, value];
}

/** Fills the card of what is held. */
function card(place, held) {
  if (!place) return;
  const subject = held[held.place] ?? held.request;
  const [key, schema, value] = bodyOf(subject, held.place === "frame" ? "payload" : "body");
  const inputs = held.place in CHANGES && members({ ...CHANGES[held.place], [key]: schema }, { values: { ...subject, [key]: value } });
  const release = body => act("POST", `held/${held.held}`, body).then(readHeld);
  const go = step => {
    const change = inputs ? inputs.value() : {};
    if (Object.keys(change).length) return release({ action: "change", ...change, ...(step && { step: true }) });
    return release({ action: step ? "step" : "continue" });
  };
  const answer = () => {
    const given = members(ANSWER, { required: ["status"] });
    ask("Answer in place of the server", "Answer", () => release({ action: "answer", ...given.value() }), given.elements);
  };
  const what = held.place === "frame" ? `${held.frame.opcode} frame on socket ${held.connection}, ${DIRECTIONS[held.direction]}` : `${held.request.method} ${quietTarget(held.request.target)}`;
  const how = held.place !== "frame" && select("How it is dropped", [["finish", "by FIN"], ["reset", "by RST"], ["silence", "without an end"]], "finish");
  place.setAttribute("aria-label", what);
  fill(place, h("div", { class: "head" }, h("h3", { class: "mono" }, what), h("span", { class: "tag held" }, `${held.place} held by ${held.breakpoint}`), h("span", { class: "dim left" })),
    inputs && h("div", { class: "fields" }, inputs.elements),
    h("div", { class: "tools" },
      button("Continue", () => go(false), { class: "main", title: "With the changes above, if there are any" }),
      button("Step", () => go(true), { title: "Continue, and hold the next one" }),
      ["request", "handshake"].includes(held.place) && button("Answer…", answer),
      button("Drop", () => release({ action: "drop", ...(how && { how: how.value }) }), { class: "danger" }), how));
}

function makeForm() {
  const inputs = h("div", { class: "fields" });
  let value = null;
  const draw = () => {
    const only = members(MATCHES[on.value]), more = members({ ...(on.value === "frame" && { direction }), timeout: { ...timeout, example: "30s" }, name: { ...name, example: "live-1" }, enabled });
    fill(inputs, only.elements, more.elements);
    value = () => ({ on: on.value, controller: CONTROLLER, match: only.value(), ...more.value() });
  };
  const on = select("Hold", [["frame", "Frames"], ["request", "Requests"], ["response", "Responses"], ["handshake", "Handshakes"]], "frame", draw);
  draw();
  return form("Set a breakpoint", () => list.change("POST", "breakpoints", value(), "The breakpoint is set."), field("Hold", on), inputs,
    h("button", { class: "main", type: "submit" }, "Set"));
}
