// Breakpoints, and what they hold: continue, change, drop, answer in its place, or step to the next.
import { $, button, field, fill, form, h, heading, inWords, select, table } from "./dom.js";
import { duration, milliseconds, quietTarget } from "./format.js";
import { act, call, inWorld } from "./api.js";
import { CONTROLLER, calmly, state, tell, when } from "./state.js";
import { worldNow } from "./clock.js";
import { parsed } from "./entries.js";

const DIRECTIONS = { "": "Both", client_to_server: "From the client", server_to_client: "From the server" };

let breakpoints = [];
const cards = new Map();

export function startBreakpoints() {
  fill($("breakpoints"), heading("Breakpoints", "What a breakpoint catches waits here before the other side sees it. It goes on by itself after 30 seconds, or when this page is closed."),
    h("div", { id: "held" }), h("div", { id: "breakpoint-list" }), makeForm());
  const read = calmly(500, readHeld);
  when("held clock panel", read);
  when("world", () => { breakpoints = []; state.held = []; read(); });
  setInterval(() => { if (breakpoints.length && !document.hidden) read(); }, 1000);
}

async function readHeld() {
  if (state.runs) return;
  const [list, held] = await Promise.all(["breakpoints", "held"].map(path => call("GET", inWorld(path)).catch(() => null)));
  if (!list || !held) return;
  breakpoints = list.breakpoints;
  state.held = held.held;
  tell("counts");
  if (state.panel === "breakpoints") draw();
}

function draw() {
  const present = new Set(state.held.map(each => `${state.world} ${each.held}`));
  for (const [key, shown] of cards) if (!present.has(key)) { shown.remove(); cards.delete(key); }
  for (const each of state.held) {
    const key = `${state.world} ${each.held}`;
    if (!cards.has(key)) {
      cards.set(key, card(each));
      $("held").append(cards.get(key));
    }
    const left = state.clock ? milliseconds(each.until) - worldNow() : 0;
    fill(cards.get(key).querySelector(".left"), left > 0 && `goes on in ${duration(left)}`, each.behind > 0 && `, ${each.behind} more behind it`);
  }
  fill($("breakpoint-list"), breakpoints.length ? table("Breakpoints", [["Name"], ["Holds", "mono text"], ["Direction"], ["Matched", "num"], ["Held", "num"], [""]],
    breakpoints.map(each => [each.name, `${each.on}  ${inWords(each.match ?? {})}`, DIRECTIONS[each.direction ?? ""], each.matches, each.acted,
      [button("Remove", () => act("DELETE", `breakpoints/${encodeURIComponent(each.name)}`).then(readHeld), { class: "danger" })]]))
    : h("p", { class: "dim" }, "No breakpoint is set."));
}

function card(held) {
  const subject = held.place === "response" ? held.response : held.place === "frame" ? held.frame : held.request;
  const text = subject.payload ?? subject.body ?? "";
  const json = parsed(text);
  const original = json ? JSON.stringify(json, null, 2) : text;
  const area = h("textarea", { rows: "7", spellcheck: "false", "aria-label": "What is sent on", value: original });
  const status = held.place === "response" && h("input", { inputmode: "numeric", size: "5", value: String(subject.status) });
  const release = body => act("POST", `held/${held.held}`, body).then(readHeld);
  const go = step => {
    const change = { ...(status && Number(status.value) !== subject.status && { status: Number(status.value) }), ...(area.value !== original && { text: area.value }) };
    if (Object.keys(change).length) return release({ action: "change", ...change, ...(step && { step: true }) });
    return release({ action: step ? "step" : "continue" });
  };
  const what = held.place === "frame" ? `Frame on socket ${held.connection}, ${DIRECTIONS[held.direction].toLowerCase()}` : `${held.request.method} ${quietTarget(held.request.target)}`;
  return h("section", { class: "card held-item", "aria-label": what },
    h("div", { class: "head" }, h("h3", { class: "mono" }, what), h("span", { class: "tag held" }, `${held.place} held by ${held.breakpoint}`), h("span", { class: "dim left" })),
    status && h("div", { class: "fields" }, field("Status", status)), area,
    h("div", { class: "tools" },
      button("Continue", () => go(false), { class: "main", title: "With the changes above, if there are any" }),
      button("Step", () => go(true), { title: "Continue, and hold the next one" }),
      button("Drop", () => release({ action: "drop" })),
      ["request", "handshake"].includes(held.place) && button("Answer 503 instead", () => release({ action: "answer", status: 503, text: "" }))));
}

function makeForm() {
  const on = select("Hold", [["frame", "Frames"], ["request", "Requests"], ["response", "Responses"], ["handshake", "Handshakes"]], "frame");
  const direction = select("Direction", Object.entries(DIRECTIONS), "");
  const match = h("input", { placeholder: "GET /api/v1/goals, or a type such as stream_chunk" });
  const set = () => {
    const wanted = match.value.trim();
    const key = { frame: "type", handshake: "socket" }[on.value] ?? "endpoint";
    return act("POST", "breakpoints", { on: on.value, controller: CONTROLLER, ...(wanted && { match: { [key]: wanted } }),
      ...(on.value === "frame" && direction.value && { direction: direction.value }) }, "The breakpoint is set.").then(readHeld);
  };
  return form("Set a breakpoint", set, h("div", { class: "fields" },
    field("Hold", on), field("Direction", direction), field("Only", match, { wide: true }), h("button", { class: "main", type: "submit" }, "Set")));
}
