// Everything about one entry.
import { $, button, copyText, download, fill, h, inText, segments } from "./dom.js";
import { bytes, clockTime, content, duration, hexDump, jsonPieces, labelled, milliseconds, quietTarget } from "./format.js";
import { state, when } from "./server.js";
import { asCurl, asHAR, asScenario } from "./copy.js";
import { numbersOf } from "./verdicts.js";
import { addCondition, choose, entryLink, timeline } from "./timeline.js";

const SHOWN = 100_000;
let mode = "json";

export function startDetail() {
  when("chosen", draw);
  when("breaches", () => { if (timeline.chosen && state.breaches.has(timeline.chosen.number)) draw(); });
}

function draw() {
  const row = timeline.chosen, aside = $("detail");
  aside.hidden = !row;
  aside.parentElement.classList.toggle("open", Boolean(row));
  if (!row) return;
  const { entry, released } = row, broken = state.breaches.get(row.number) ?? [], got = released && content(released, "payload");
  const isOnSocket = row.connection > 0 && row.lane >= 0;
  fill(aside,
    h("div", { class: "head" }, h("h2", null, `${row.verb} ${row.type}`),
      button("Close", () => { choose(null); $("grid").focus(); }, { class: "quiet", "aria-keyshortcuts": "Escape" })),
    h("div", { class: "tools" }, h("span", { class: "dim" }, "Copy"),
      copies(row).map(([name, text]) => button(name, () => copyText(text(), name), { "aria-label": `Copy ${name}` })),
      (entry.request || isOnSocket) && button("Save HAR", () => download(`entry-${row.number}.har`, asHAR(timeline.rows, row))),
      isOnSocket && button("Only this socket", () => addCondition(`connection=${row.connection}`))),
    broken.map(id => breach(id, row.number)),
    h("dl", null, facts(row).map(([name, value]) => value && [h("dt", null, name), h("dd", null, value)])),
    entry.near_misses?.length > 0 && nearMisses(entry),
    entry.request && part("Request", `${entry.request.method} ${quietTarget(entry.request.target)}`, entry.request),
    entry.response && part("Response", String(entry.response.status), entry.response),
    got && bodyView("What the other side received", got),
    entry.kind === "frame" && bodyView("Payload", content(entry, "payload") ?? { text: "", bytes: new Uint8Array(), size: 0 }));
  aside.scrollTop = 0;
}

/** Members of an entry that the detail or the rows already show elsewhere. */
const ELSEWHERE = new Set(["number", "world", "kind", "time", "requested_at", "request", "response", "near_misses",
  "payload", "payload_base64", "payload_bytes", "payload_note", "user", "faults", "due"]);

/** Names and values: first those that the page computes, then every other member of the entry. */
function facts(row) {
  const { entry, released } = row;
  const before = timeline.rows.all[row.position - 1];
  const due = (released ?? entry).due;
  const others = Object.entries(entry).filter(([key, value]) => !ELSEWHERE.has(key) && value != null);
  const held = released && duration(milliseconds(released.time) - milliseconds(due));
  return [
    ["Time", `${entry.time.slice(0, 10)} ${entry.time.slice(11, -1)}`],
    ["Since the previous entry", before && duration(row.at - before.at)],
    ["Arrived", entry.requested_at && entry.requested_at !== entry.time && clockTime(entry.requested_at)],
    ["Due", due && clockTime(due)],
    ["Released", released && `${clockTime(released.time)}, ${released.action} by ${released.breakpoint}, held for ${held}`],
    ["Took", entry.request && duration(row.took)],
    ["User", row.user && button(row.user, () => addCondition(`user=${row.user}`), { class: "quiet mono" })],
    ["Fault", row.faults.length > 0 && row.faults.map((name, i) => [i > 0 && ", ", h("a", { href: "#faults" }, name)])],
    ...others.map(([key, value]) => [labelled(key), inText(value)])];
}

function breach(id, number) {
  const finding = state.verdicts?.verdicts.find(each => each.id === id)?.findings.find(each => numbersOf(each).includes(number));
  const isGrave = finding ? finding.level === "must" : state.grave.has(number);
  return h("p", { class: isGrave ? "problem" : "problem should" }, "Breaks ",
    h("a", { href: `#verdicts?at=${encodeURIComponent(id)}` }, id), isGrave ? ". " : " (should). ", finding?.message);
}

function copies(row) {
  const link = ["Link", () => new URL(entryLink(row.number), location.href).href];
  const json = ["JSON", () => JSON.stringify(row.entry, null, 2)];
  const scenario = asScenario(timeline.rows, row);
  return [!state.runs && row.number > 0 && link, row.entry.request && ["curl", () => asCurl(row.entry)],
    scenario && ["Scenario", () => scenario], json].filter(Boolean);
}

function nearMisses(entry) {
  return h("section", null, h("h3", null, "Nearest operations"), entry.near_misses.map(miss => h("div", { class: "miss" },
    h("p", { class: "mono" }, `${miss.method} ${miss.path}`),
    h("ul", null, miss.differences.map(text => h("li", null, text))))));
}

function part(name, line, message) {
  const body = content(message, "body");
  const fields = h("details", null, h("summary", null, `${name} · ${line} · fields: ${message.fields.length}`),
    h("dl", { class: "mono" }, message.fields.map(each => [h("dt", null, each.name), h("dd", null, each.value)])));
  return h("section", null, fields, body && body.size > 0 && bodyView(`${name} body`, body));
}

const MODES = { json: "JSON", raw: "Raw", hex: "Hex" };

/** A body as JSON, raw or hex; a long one is cut until somebody asks for all of it. */
function bodyView(name, body) {
  const box = h("section"), isText = body.text != null;
  const show = whole => {
    const shown = isText ? mode : "hex", text = whole ? body.text : body.text?.slice(0, SHOWN);
    const isCut = isText && text.length < body.text.length, pieces = shown === "json" && jsonPieces(text);
    const code = shown === "hex" ? hexDump(body.bytes, whole ? Infinity : undefined) : !pieces ? text
      : pieces.map(([kind, piece]) => (kind ? h("span", { class: kind }, piece) : piece));
    fill(box, h("div", { class: "tools" }, h("h3", null, name, " ", h("span", { class: "dim" }, bytes(body.size))),
      isText && segments("Form", Object.entries(MODES), shown, chosen => { mode = chosen; show(whole); }),
      button("Copy", () => copyText(body.text ?? hexDump(body.bytes, Infinity), name.toLowerCase()))),
    shown === "json" && !pieces && !isCut && h("p", { class: "dim" }, "This is not JSON."),
    h("pre", { class: `code ${shown}`, tabindex: "0" }, code), body.note && h("p", { class: "dim" }, body.note),
    isCut && button(`Show all ${bytes(body.size)}`, () => show(true)));
  };
  show(false);
  return box;
}
