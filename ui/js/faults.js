// Faults: switches, counts, and a form that is made from the schema of scenarios.
import { $, button, field, fill, form, h, heading, inWords, select, table } from "./dom.js";
import { act } from "./api.js";
import { whileShown } from "./state.js";

const { members, endpoints } = FAULT_SCHEMA;
const COMMON = ["name", "enabled", "on", "requests", "connections", "at"];
const EXTRAS = ["code", "message", "body", "content_type", "retry_after", "processed"];

export function startFaults() {
  fill($("faults"), heading("Faults", "What goes wrong on purpose. All that match act, in this order, from the next request, handshake or frame on."),
    h("div", { id: "fault-list" }), makeForm());
  whileShown("faults", "entries", 1500, readFaults);
}

async function readFaults() {
  const answer = await act("GET", "faults");
  if (!answer) return;
  fill($("fault-list"), answer.faults.length
    ? table("Faults", [["On"], ["Name"], ["Where", "mono text"], ["What", "mono text"], ["Matched", "num"], ["Acted", "num"], [""]], answer.faults.map(row))
    : h("p", { class: "dim" }, "This world has no faults."));
}

const change = (method, path, body, done) => act(method, path, body, done).then(readFaults);

function row(fault) {
  const path = `faults/${encodeURIComponent(fault.name)}`;
  const { name, enabled, on, matches, acted, ...rest } = fault;
  return [h("input", { type: "checkbox", class: "switch", role: "switch", checked: enabled, "aria-label": `${name} is in force`,
    change: event => change("PATCH", path, { enabled: event.target.checked }) }),
  name, [on].flat().join(", "), inWords(rest), matches, acted,
  [button("Remove", () => change("DELETE", path), { class: "danger" })]];
}

// MARK: The form

/** The places where a member of a fault may stand, by its description. */
function places(description) {
  const named = [...description.matchAll(/(?:^|\. )((?:REST|Handshake|handshake|Socket|socket)(?:, (?:REST|handshake|socket))*):/g)].flatMap(each =>
    each[1].toLowerCase().split(", "));
  return named.length ? named : ["rest", "handshake", "socket"];
}

const placeOf = on => (on.startsWith("socket") ? "socket" : on.startsWith("handshake") ? "handshake" : "rest");

function makeForm() {
  const name = h("input", { size: "14", placeholder: "fault-1" });
  const on = select("Where", ["any", "handshake", "socket", ...endpoints], "any", () => draw());
  const action = h("select", { "aria-label": "What happens", change: () => draw() });
  const inputs = h("div", { class: "fields" });
  const preview = h("pre", { class: "code" });
  let values = {};

  const show = () => { preview.textContent = JSON.stringify(fault(), null, 2); };
  const set = (key, value) => { if (value === undefined) delete values[key]; else values[key] = value; show(); };
  const fault = () => ({ ...(name.value.trim() && { name: name.value.trim() }), on: on.value, ...values });
  name.addEventListener("input", show);

  function draw() {
    const place = placeOf(on.value);
    const actions = Object.keys(members).filter(key => !COMMON.includes(key) && !EXTRAS.includes(key)
      && places(members[key].description).includes(place));
    const before = action.value;
    fill(action, actions.map(key => h("option", { value: key }, key.replaceAll("_", " "))));
    action.value = actions.includes(before) ? before : actions[0];
    values = {};
    const keys = [action.value, ...(["status", "quota"].includes(action.value) ? EXTRAS.filter(key => place === "rest" || key !== "processed") : []),
      place === "rest" ? "requests" : "connections", ...(place === "socket" ? ["at"] : [])];
    fill(inputs, keys.map(key => control(key, members[key], value => set(key, value), key === action.value)));
    show();
  }
  draw();
  return form("Add a fault", () => change("POST", "faults", fault(), "The fault is in force."),
    h("div", { class: "fields" }, field("Where", on), field("What happens", action), field("Name", name)), inputs, preview,
    h("button", { class: "main", type: "submit" }, "Add"));
}

/** An input for a member of the schema. */
function control(key, schema, set, isAction) {
  const label = key[0].toUpperCase() + key.slice(1).replaceAll("_", " ");
  const said = (schema.description ?? "").replace(/^(?:(?:REST|Handshake|handshake|Socket|socket)(?:, )?)+: |^With 'status' or 'quota': (?:the )?/, "")
    .replace(/, with (?:REST|socket|handshake and socket)/, "").replace(/'([\w-]+)'/g, "$1");
  const hint = said && said[0].toUpperCase() + said.slice(1);
  if (schema.const === true && isAction) {
    set(true);
    return h("p", { class: "dim" }, hint);
  }
  if (schema.const === true || schema.type === "boolean") {
    return h("label", { class: "check" }, h("input", { type: "checkbox", change: event => set(event.target.checked || undefined) }), label);
  }
  if (schema.enum) {
    if (isAction) set(schema.enum[0]);
    return field(label, select(label, isAction ? schema.enum : [["", "—"], ...schema.enum], isAction ? schema.enum[0] : "",
      value => set(value || undefined)), { hint });
  }
  if (schema.properties) {
    const parts = {};
    return Object.entries(schema.properties).map(([name, part]) => control(name, { ...part, description: part.description ?? "" }, value => {
      if (value === undefined) delete parts[name];
      else parts[name] = value;
      set(Object.keys(parts).length ? { ...parts } : undefined);
    }, false));
  }
  const input = h("input", { size: schema.type === "integer" ? "8" : "16", placeholder: example(key, schema), required: isAction,
    input: event => set(read(event.target.value, schema)) });
  return field(label, input, { hint });
}

const example = (key, schema) => ({ status: "503", delay: "2s", requests: "1..2", connections: "1", close: "1001", fragments: "[1, 20]", chunk: "3",
  retry_after: "2", per: "10s", every: "500ms" }[key] ?? (schema.type === "integer" ? "1" : ""));

/** What was typed, as a number, as JSON, or as text. */
function read(text, schema) {
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  if (schema.type === "string") return text;
  if (/^-?\d+$/.test(trimmed) || /^[[{]|^(true|false|null)$/.test(trimmed)) {
    try { return JSON.parse(trimmed); } catch { return text; }
  }
  return text;
}
