// What is done by hand while clients are connected: sockets, breakpoints with what they hold, and faults.
import { $, ask, button, field, fill, form, h, heading, inWords, select, shortID } from "./dom.js";
import { bytes, clockTime, content, duration, milliseconds, quietTarget, shortIDs } from "./format.js";
import { CONTROLLER, act, attempt, call, calmly, inWorld, state, tell, when, whileShown } from "./server.js";
import { choiceForm, collection, members } from "./panel.js";
import { worldNow } from "./clock.js";
import { setFilter, timeline } from "./timeline.js";

// MARK: Sockets

const CLOSE = { code: { example: "1001" }, reason: { text: true } };

export const openSockets = () => [...timeline.rows.sockets.values()].filter(each => !each.closed);

export function startSockets() {
  const sender = h("div", { id: "sender" });
  const list = collection({
    id: "socket-list", label: "Open sockets", path: "sockets", empty: "No socket is open. A socket appears here as soon as the app opens one.",
    columns: [["Socket", "num"], ["Path"], ["User"], ["Open for", "num"], ["Received", "num"], ["Sent", "num"], ["State"], [""]], row: cells,
  });
  fill($("sockets"), heading("Sockets", "The app's open WebSockets. Send a message into one, close it, cut it off, or let it fall silent."), list.place, sender);
  whileShown("sockets", "entries clock", 800, list.read);
  when("world", () => fill(sender));

  function cells(socket, does) {
    const n = socket.connection, path = `sockets/${n}`;
    const states = [socket.state !== "open" && socket.state, socket.streaming && `streams ${socket.streaming.piece} of ${socket.streaming.of}`,
      socket.held?.length > 0 && `${socket.held.length} held`, socket.unsent_bytes > 0 && `${bytes(socket.unsent_bytes)} unsent`,
      socket.next_deadline && `next at ${clockTime(socket.next_deadline)}`];
    return [n, h("span", { class: "mono", title: socket.path }, shortIDs(quietTarget(socket.path))), shortID(socket.user), socket.age,
      socket.frames_in, socket.frames_out, states.filter(Boolean).join(", "), [
        button("Frames", () => { setFilter(`connection=${n}`); location.hash = "#timeline"; }),
        button("Send…", () => openSender(sender, n)),
        does.button("Hold", "POST", "breakpoints", { body: { on: "frame", match: { connection: n }, controller: CONTROLLER },
          done: `Frames on socket ${n} are held. Let them go under Breakpoints.` }),
        button("Close…", () => {
          const form = members(CLOSE);
          ask(`Close socket ${n}`, "Close it", () => does.change("POST", `${path}/close`, form.value(), `Socket ${n} is closing.`), form.elements);
        }),
        does.button("Cut", "POST", `${path}/finish`, { title: "End the connection without a close frame" }),
        does.button("Reset", "POST", `${path}/reset`, { title: "Reset the connection (RST)" }),
        socket.state === "silent" ? does.button("Resume", "POST", `${path}/resume`, { title: "Send and read again" })
          : does.button("Silence", "POST", `${path}/silence`, { title: "Send and read nothing from now on" })]];
  }
}

/** A form for a message: one of the server's own frames with its fields, any text, or bytes. */
async function openSender(place, n) {
  const socket = await act("GET", `sockets/${n}`);
  if (!socket) return;
  const area = h("textarea", { rows: "8", spellcheck: "false", "aria-label": "Message" });
  const show = name => { area.value = JSON.stringify(socket.templates.find(each => each.type === name)?.fields, null, 2) ?? ""; };
  const chosen = select("Template", [...socket.templates.map(each => each.type), ["text", "Any text"], ["base64", "Bytes as base64"]], socket.templates[0]?.type ?? "text", show);
  show(chosen.value);
  const send = () => call("POST", inWorld(`sockets/${n}/send`),
    ["text", "base64"].includes(chosen.value) ? { [chosen.value]: area.value } : { template: chosen.value, fields: JSON.parse(area.value) });
  fill(place, form(`Send to socket ${n}`, "Send", () => attempt(send, `Sent to socket ${n}.`), field("Template", chosen), area));
  area.focus();
}

// MARK: Breakpoints

const DIRECTIONS = { client_to_server: "from the client", server_to_client: "from the server" };
const { direction, timeout, ...ofBreakpoints } = FORMS.breakpoint;
const { endpoint, requests, socket, connections, type, ...ofFrames } = ofBreakpoints.match.properties;
const requested = { endpoint: { ...endpoint, enum: Object.values(FORMS.endpoints), open: true }, text: ofFrames.text, requests };
const MATCHES = { frame: { ...ofFrames, socket, connections }, request: requested, response: requested, handshake: { socket, connections } };
const HEAD = { fields: { fields: true, long: true, description: "Lines such as Accept: text/plain. Those about the body's length follow from it." } };
/** What can be changed of what is held, and what an answer in its place has. */
const CHANGES = { request: { method: { text: true }, target: { text: true }, ...HEAD }, response: { status: {}, ...HEAD }, frame: {} };
const ANSWER = { status: { example: "503" }, ...HEAD, text: { label: "Body", text: true, long: true } };

let breakpoints = null, isSet = false;
const cards = new Map();

export function startBreakpoints() {
  breakpoints = collection({
    id: "breakpoint-list", label: "Breakpoints", path: "breakpoints", empty: "No breakpoint is set.", taken: taken => { isSet = taken.length > 0; },
    columns: [["On"], ["Name"], ["Holds", "mono text"], ["For", "num"], ["Matched", "num"], ["Held", "num"], ["Now", "num"], [""]],
    row: (each, does) => [does.toggle(each), each.name, [each.on, each.on === "frame" && DIRECTIONS[each.direction], inWords(each.match)].filter(Boolean).join("  "),
      each.timeout, each.matches, each.acted, each.holding, [does.remove(each)]],
  });
  fill($("breakpoints"), heading("Breakpoints", "What a breakpoint catches waits here before the other side sees it, until the breakpoint's time is over or this page is closed."),
    h("div", { id: "held" }), breakpoints.place, breakpointForm());
  const read = calmly(500, () => !state.runs && Promise.all([readHeld(), breakpoints.read()]));
  when("held clock panel", read);
  when("world", () => { isSet = false; state.held = []; read(); });
  setInterval(() => { if (isSet && !document.hidden) read(); }, 1000);
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
      call("GET", key).then(whole => { card(cards.get(key), whole); tellLeft(each, key); }).catch(() => null);
    }
    tellLeft(each, key);
  }
}

/** Says on a card how long what is held still waits. */
function tellLeft({ until, behind }, key) {
  const said = cards.get(key)?.querySelector(".left"), left = state.clock ? milliseconds(until) - worldNow() : 0;
  if (said) fill(said, left > 0 && `goes on in ${duration(left)}`, behind > 0 && `, ${behind} more behind it`);
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
  const what = held.place === "frame" ? `${held.frame.opcode} frame on socket ${held.connection}, ${DIRECTIONS[held.direction]}`
    : `${held.request.method} ${quietTarget(held.request.target)}`;
  const how = held.place !== "frame" && select("How it is dropped", [["finish", "by FIN"], ["reset", "by RST"], ["silence", "without an end"]], "finish");
  place.setAttribute("aria-label", what);
  fill(place, h("div", { class: "head" }, h("h3", { class: "mono" }, what), h("span", { class: "tag" }, `${held.place} held by ${held.breakpoint}`),
    h("span", { class: "dim left" })),
    inputs && h("div", { class: "fields" }, inputs.elements),
    h("div", { class: "tools" },
      button("Continue", () => go(false), { class: "main", title: "With the changes above, if there are any" }),
      button("Step", () => go(true), { title: "Continue, and hold the next one" }),
      ["request", "handshake"].includes(held.place) && button("Answer…", answer),
      button("Drop", () => release({ action: "drop", ...(how && { how: how.value }) }), { class: "danger" }), how));
}

function breakpointForm() {
  const on = select("Hold", [["frame", "Frames"], ["request", "Requests"], ["response", "Responses"], ["handshake", "Handshakes"]], "frame");
  const { name, enabled } = ofBreakpoints;
  const parts = () => {
    const { at, requests, connections, ...often } = MATCHES[on.value];
    return {
      often: { ...often, ...(on.value === "frame" && { direction }), timeout: { ...timeout, example: "30s" } },
      seldom: { ...(requests ? { requests } : { connections }), ...(at && { at }), name: { ...name, example: "live-1" }, enabled },
      made: ({ name, enabled, direction, timeout, ...match }) => ({ on: on.value, controller: CONTROLLER, name, enabled, direction, timeout, match }),
    };
  };
  return choiceForm({ title: "Set a breakpoint", label: "Set", choosers: field("Hold", on), parts,
    send: body => breakpoints.change("POST", "breakpoints", body, "The breakpoint is set.") });
}

// MARK: Faults

const { on: where, name, enabled, requests: ofRequests, connections: ofConnections, at, ...actions } = FORMS.fault;

export function startFaults() {
  const list = collection({
    id: "fault-list", label: "Faults", path: "faults", empty: "This world has no faults.",
    columns: [["On"], ["Name"], ["Where", "mono text"], ["What", "mono text"], ["Matched", "num"], ["Acted", "num"], [""]],
    row: ({ name: id, enabled: isOn, on, matches, acted, ...rest }, does) => [does.toggle({ name: id, enabled: isOn }), id, [on].flat().join(", "),
      inWords(rest), matches, acted, [does.remove({ name: id })]],
  });
  fill($("faults"), heading("Faults", "What goes wrong on purpose. All that match act, in this order, from the next request, handshake or frame on."),
    list.place, faultForm(list));
  whileShown("faults", "entries", 1500, list.read);
}

function faultForm(list) {
  const place = members({ on: { ...where, label: "Where", description: "any, an endpoint, handshake or socket; or a JSON list of endpoints" } }, { required: ["on"] });
  const what = h("select", { "aria-label": "What happens" });
  place.elements[0].querySelector("input").value = "any";
  const parts = () => {
    const { on } = place.value(), kind = String(on).match(/^(handshake|socket)/)?.[0] ?? "rest";
    const fitting = Object.entries(actions).filter(([, { places }]) => !places.length || places.includes(kind));
    const possible = fitting.filter(([, { places, extra }]) => places.length || !extra.length).map(([key]) => key);
    const action = possible.includes(what.value) ? what.value : possible[0];
    fill(what, possible.map(key => h("option", { value: key, selected: key === action }, key.replaceAll("_", " "))));
    return {
      often: { [action]: actions[action], ...Object.fromEntries(fitting.filter(([, { extra }]) => extra.includes(action))) }, required: [action],
      seldom: { name: { ...name, example: "fault-1" }, enabled,
        ...(kind === "rest" ? { requests: ofRequests } : { connections: ofConnections }), ...(kind === "socket" && { at }) },
      made: members => ({ on, ...members }),
    };
  };
  return choiceForm({ title: "Add a fault", label: "Add", choosers: [place.elements, field("What happens", what)], parts,
    send: body => list.change("POST", "faults", body, "The fault is in force.") });
}
