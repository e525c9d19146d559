// Actions by hand while clients are connected: sockets, breakpoints with held items, and faults.
import { $, ask, button, field, fill, form, h, heading, inText, options, select, shortID } from "./dom.js";
import { bytes, clockTime, content, duration, labelled, milliseconds, oneLine, parsed, quietTarget, shortIDs } from "./format.js";
import { CONTROLLER, act, attempt, call, calmly, inWorld, state, tell, when, whileShown } from "./server.js";
import { choiceForm, collection, members } from "./panel.js";
import { holds, inPhrases } from "./rules.js";
import { worldNow } from "./clock.js";
import { setFilter, timeline } from "./timeline.js";

// MARK: Sockets

const CLOSE = { code: { example: "1001" }, reason: { text: true } };

export const openSockets = () => [...timeline.rows.sockets.values()].filter(each => !each.closed);

export function startSockets() {
  const sender = h("div", { id: "sender" });
  const list = collection({
    id: "socket-list", label: "Open sockets", path: "sockets", row: cells,
    empty: "No socket is open. A socket appears here as soon as the app opens one.",
    columns: ["Socket", "Path", "User", ["Open for", "num"], "Received", "Sent", "State"],
  });
  const lead = "The app's open WebSockets. You can send a message on a socket, close it, cut it off, or silence it.";
  fill($("sockets"), heading("Sockets", lead), list.place, sender);
  whileShown("sockets", "entries clock", 800, list.read);
  when("world", () => fill(sender));

  function cells(socket, does) {
    const { connection: n, state: is, streaming, held, unsent_bytes: unsent, next_deadline: next } = socket;
    const path = `sockets/${n}`;
    const states = [is !== "open" && is, streaming && `streaming ${streaming.piece} of ${streaming.of}`,
      held.length > 0 && `${held.length} held`, unsent > 0 && `${bytes(unsent)} unsent`, next && `next at ${clockTime(next)}`];
    const where = h("span", { class: "mono", title: socket.path }, shortIDs(quietTarget(socket.path)));
    return [n, where, shortID(socket.user), socket.age, socket.frames_in, socket.frames_out, states.filter(Boolean).join(", "), [
        button("Frames", () => { setFilter(`connection=${n}`); location.hash = "#timeline"; }),
        button("Send…", () => openSender(sender, n)),
        does.button("Hold", "POST", "breakpoints", { body: { on: "socket", hold: "both", connection: n, controller: CONTROLLER },
          done: `Frames on socket ${n} are held. Release them under Breakpoints.` }),
        button("Close…", () => {
          const form = members(CLOSE), said = `Socket ${n} is closing.`;
          const close = () => does.change("POST", `${path}/close`, form.value(), said);
          ask(`Close socket ${n}`, "Close it", close, form.elements);
        }),
        does.button("Cut", "POST", `${path}/finish`, { title: "End the connection without a close frame" }),
        does.button("Reset", "POST", `${path}/reset`, { title: "Reset the connection (RST)" }),
        is === "silent" ? does.button("Resume", "POST", `${path}/resume`, { title: "Send and read again" })
          : does.button("Silence", "POST", `${path}/silence`, { title: "Stop sending and reading" })]];
  }
}

/** A form for a message: one of the server's own frames with its members, any text, or bytes. */
async function openSender(place, n) {
  const socket = await act("GET", `sockets/${n}`);
  if (!socket) return;
  const area = h("textarea", { rows: "8", spellcheck: "false", "aria-label": "Message" });
  const types = socket.templates.map(each => each.type), others = [["text", "Any text"], ["base64", "Bytes as base64"]];
  const show = name => { area.value = JSON.stringify(socket.templates.find(each => each.type === name)?.members, null, 2) ?? ""; };
  const chosen = select("Template", [...types, ...others], types[0] ?? "text", show);
  show(chosen.value);
  const message = kind => {
    if (!types.includes(kind)) return { [kind]: area.value };
    const members = parsed(area.value);
    if (members !== undefined) return { template: kind, members };
    throw new Error(`The members of ${kind} must be a JSON object, but this is not JSON: ${oneLine(area.value, 60)} `
      + 'Correct it, or choose "Any text" to send it as it is.');
  };
  const send = () => call("POST", inWorld(`sockets/${n}/send`), message(chosen.value));
  fill(place, form(`Send to socket ${n}`, "Send", () => attempt(send, `Sent to socket ${n}.`), field("Template", chosen),
    field("Message", area, { wide: true, key: "" })));
  area.focus();
}

// MARK: Breakpoints

const DIRECTIONS = { client_to_server: "from the client", server_to_client: "from the server" };
/** The target of a fault for each kind of held item, and the place that holds all of them. */
const PLACES = { frame: "socket", handshake: "handshake", request: "any", response: "any" };
const HEAD = { fields: { fields: true, long: true, description: "For example, Accept: text/plain. Omit Content-Length." } };
/** The members of a held item that can be changed, and the members of an answer in its place. */
const LINE = { text: true };
const CHANGES = { request: { method: LINE, target: LINE, ...HEAD }, response: { status: {}, ...HEAD }, frame: {} };
const ANSWER = { status: { example: "503" }, ...HEAD, text: { label: "Body", text: true, long: true } };

let breakpoints = null, isSet = false;
const cards = new Map();

export function startBreakpoints() {
  breakpoints = collection({
    id: "breakpoint-list", label: "Breakpoints", path: "breakpoints", empty: "No breakpoint is set.",
    taken: taken => {
      isSet = taken.length > 0;
      // Nobody can enable the breakpoint of a closed page again; an open page may have disabled its own.
      for (const each of taken) {
        if (each.abandoned && /^page-/.test(each.controller) && each.controller !== CONTROLLER) call("DELETE", inWorld(`breakpoints/${encodeURIComponent(each.name)}`)).catch(() => null);
      }
    },
    columns: ["On", "Name", ["Where", "mono text"], ["Holds", "text"], ["For", "num"], "Matched", "Held", "Now"],
    row: ({ name, enabled, on, hold, controller, abandoned, matches, acted, holding, ...rest }, does) =>
      [does.toggle({ name, enabled }), name, inText(on), inPhrases(rest, [holds(hold)]), hold.for ?? "30s", matches, acted, holding, [does.remove({ name })]],
  });
  const lead = "Items that breakpoints hold are listed here. They wait until you release them, their time is up, or this page is closed.";
  fill($("breakpoints"), heading("Breakpoints", lead), h("div", { id: "held" }), breakpoints.place, breakpointForm());
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
      // The list cuts long bodies, but the form needs the whole body.
      call("GET", key).then(whole => { card(cards.get(key), whole); tellLeft(each, key); }).catch(() => null);
    }
    tellLeft(each, key);
  }
}

/** How long a held item still waits, if known. */
const timeLeft = ({ until }) => (state.clock ? Math.max(0, milliseconds(until) - worldNow()) : 0);

/** Shows that on a card. */
function tellLeft({ until, behind }, key) {
  const said = cards.get(key)?.querySelector(".left"), left = timeLeft({ until });
  if (said) fill(said, left > 0 && `continues in ${duration(left)}`, behind > 0 && `, ${behind} more behind it`);
}

/** The schema and value of a body: text if a text area preserves it, otherwise base64. */
function bodyOf(holder, key) {
  const body = content(holder, key), text = body?.text ?? "";
  const keepsEnds = !/\r(?!\n)/.test(text) && !(/\r/.test(text) && /(^|[^\r])\n/.test(text));
  if (body?.base64 == null && keepsEnds) return ["text", { label: "Body", text: true, long: true }, text];
  const bytes = () => btoa(Array.from(body.bytes, byte => String.fromCharCode(byte)).join(""));
  return ["base64", { label: "Body, as base64", text: true, long: true }, body.base64 ?? bytes()];
}

/** Fills the card of a held item. */
function card(place, held) {
  if (!place) return;
  const { place: kind, direction, connection, request, frame } = held, isFrame = kind === "frame";
  const subject = held[kind] ?? request;
  const [key, schema, value] = bodyOf(subject, isFrame ? "payload" : "body");
  const path = `held/${held.held}`, prolong = time => act("PATCH", path, { for: time }).then(readHeld);
  const current = () => state.held.find(each => each.held === held.held), left = () => timeLeft(current() ?? held);
  // While somebody types, it waits at least five minutes; this does not shorten a longer wait.
  const wait = calmly(20_000, () => current() && left() < 300_000 && prolong("5m"));
  const inputs = kind in CHANGES && members({ ...CHANGES[kind], [key]: schema }, { values: { ...subject, [key]: value }, changed: () => {
    wait();
    fill(main, Object.keys(inputs.value()).length ? "Continue, changed" : "Continue");
  } });
  const release = body => act("POST", path, body).finally(readHeld);
  const go = step => {
    const change = inputs ? inputs.value() : {};
    if (Object.keys(change).length) return release({ action: "change", ...change, ...(step && { step: true }) });
    return release({ action: step ? "step" : "continue" });
  };
  const answer = () => {
    const given = members(ANSWER, { required: ["status"], changed: wait });
    ask("Answer in place of the server", "Answer", () => release({ action: "answer", ...given.value() }), given.elements);
  };
  const main = button("Continue", () => go(false), { class: "main", title: "With any changes made above" });
  const longer = () => prolong(`${Math.min(3600, Math.ceil(left() / 1000) + 300)}s`);
  const what = isFrame ? `${frame.opcode} frame on socket ${connection}, ${DIRECTIONS[direction]}`
    : `${request.method} ${quietTarget(request.target)}`;
  const ends = [["finish", "by FIN"], ["reset", "by RST"], ["silence", "without closing"]];
  const how = !isFrame && select("How to drop it", ends, "finish");
  place.setAttribute("aria-label", what);
  fill(place, h("div", { class: "head" }, h("h3", { class: "mono" }, what),
    h("span", { class: "tag" }, `${kind} held by ${held.breakpoint}`), h("span", { class: "dim left" })),
  inputs && h("div", { class: "fields" }, inputs.elements),
  h("div", { class: "tools" },
    main, button("Step", () => go(true), { title: "Continue, and hold the next one" }),
    ["request", "handshake"].includes(kind) && button("Answer…", answer),
    button("Drop", () => release({ action: "drop", ...(how && { how: how.value }) }), { class: "danger" }), how,
    button("5 more minutes", longer, { title: "Extends the wait by five minutes" })));
}

function breakpointForm() {
  const places = [["frame", "Frames"], ["request", "Requests"], ["response", "Responses"], ["handshake", "Handshakes"]];
  const place = select("Hold", places, "frame"), { name, enabled, on, requests, connections, at, hold } = FORMS.fault;
  const { text, for: time } = hold.properties, { direction, connection } = FORMS.conditions, only = "Only this connection, by its number in the journal.";
  const parts = () => {
    const kind = place.value, all = PLACES[kind], isFrame = kind === "frame", isREST = all === "any";
    const fitting = on.enum.filter(each => isREST ? !/^(socket|handshake)/.test(each) : each.startsWith(all));
    return {
      often: { on: { ...on, label: "Where", enum: fitting, description: "" }, ...(kind !== "handshake" && { text }),
        ...(isFrame && { type: at.properties.type, connection: { ...connection, description: only }, direction }), for: { ...time, example: "30s" } },
      seldom: { ...(isREST ? { requests } : { connections }), ...(isFrame && { at }), name: { ...name, example: "live-1" }, enabled },
      made: ({ on = all, direction = "both", type, at, text, for: time, ...others }) => ({
        on, hold: { what: isFrame ? direction : kind === "response" ? kind : "request", text, for: time },
        at: type ? { ...at, type } : at, ...others, controller: CONTROLLER,
      }),
    };
  };
  return choiceForm({ title: "Set a breakpoint", label: "Set", choosers: field("Hold", place), parts,
    send: body => breakpoints.change("POST", "breakpoints", body, "The breakpoint is set.") });
}

// MARK: Faults

const { on: where, name, enabled, requests: ofRequests, connections: ofConnections, at, ...actions } = FORMS.fault;

export function startFaults() {
  const list = collection({
    id: "fault-list", label: "Faults", path: "faults", empty: "This world has no faults.",
    columns: ["On", "Name", ["Where", "mono text"], ["What", "text"], "Matched", "Acted"],
    row: ({ name, enabled, on, controller, abandoned, matches, acted, holding, ...rest }, does) =>
      [does.toggle({ name, enabled }), name, inText(on), `${inPhrases(rest)}.`, matches, acted, [does.remove({ name })]],
  });
  const lead = "Faults make things go wrong on purpose. All matching faults take effect, in this order, starting with the next request, handshake or frame.";
  const network = networkChoice();
  fill($("faults"), heading("Faults", lead), field("Network", network.control), list.place, faultForm(list));
  whileShown("faults", "entries", 1500, () => Promise.all([list.read(), network.read()]));
}

/** The network between clients and the world; the page shows one with custom numbers, but can only leave it. */
function networkChoice() {
  const control = select("Network", [], "", async name => {
    await attempt(() => call("PUT", inWorld("network"), { network: name || null }), "The network was switched.");
    shown = null;
    await read();
  });
  let shown = null;
  const read = async () => {
    const asked = inWorld("network"), answer = await call("GET", asked).catch(() => null);
    if (!answer || asked !== inWorld("network")) return;
    const now = typeof answer.network === "string" ? answer.network : answer.network ? "custom values" : "";
    if (now === shown) return;
    shown = now;
    const names = FORMS.networks.includes(now) || !now ? FORMS.networks : [...FORMS.networks, now];
    fill(control, options([["", "none"], ...names.map(name => [name, name])]));
    control.value = now;
  };
  return { control, read };
}

function faultForm(list) {
  const hint = "any, an endpoint, handshake or socket; or a JSON list of endpoints";
  const place = members({ on: { ...where, label: "Where", description: hint } }, { values: { on: "any" }, required: ["on"] });
  const what = h("select", { "aria-label": "What happens" });
  const parts = () => {
    const { on } = place.value(), kind = String(on).match(/^(handshake|socket)/)?.[0] ?? "rest";
    const fitting = Object.entries(actions).filter(([, { places }]) => !places.length || places.includes(kind));
    const possible = fitting.filter(([, { places, extra }]) => places.length || !extra.length).map(([key]) => key);
    const action = possible.includes(what.value) ? what.value : possible[0];
    fill(what, possible.map(key => h("option", { value: key, selected: key === action }, key.replaceAll("_", " "))));
    const which = kind === "rest" ? { requests: ofRequests } : { connections: ofConnections, ...(kind === "socket" && { at }) };
    return {
      often: { [action]: actions[action], ...Object.fromEntries(fitting.filter(([, { extra }]) => extra.includes(action))) },
      seldom: { name: { ...name, example: "fault-1" }, enabled, ...which }, required: [action], made: given => ({ on, ...given }),
    };
  };
  return choiceForm({ title: "Add a fault", label: "Add", choosers: [place.elements, field("What happens", what)], parts,
    send: body => list.change("POST", "faults", body, "The fault is active.") });
}
