// Everything about one entry.
import { $, button, copyText, download, fill, h } from "./dom.js";
import { bytes, clockTime, content, counted, duration, hexDump, jsonPieces, milliseconds, quietTarget } from "./format.js";
import { asCurl, asHAR, asScenario } from "./copy.js";
import { state, when } from "./state.js";
import { numbersOf } from "./verdicts.js";
import { choose, chooseNumber, entryLink, setFilter, timeline } from "./timeline.js";

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
  const { entry } = row;
  const before = timeline.rows.all[row.position - 1];
  const beforeOnSocket = row.lane >= 0 && findBefore(row);
  const broken = state.breaches.get(row.number) ?? [];
  const fact = (name, value) => value != null && value !== "" && value !== false && [h("dt", null, name), h("dd", null, value)];
  fill(aside,
    h("div", { class: "head" }, h("h2", null, title(row)),
      button("Close", () => { choose(null); $("grid").focus(); }, { class: "quiet", "aria-keyshortcuts": "Escape" })),
    h("div", { class: "tools" }, h("span", { class: "dim" }, "Copy"), copies(row).map(([name, text]) => button(name, () => copyText(text(), name), { "aria-label": `Copy ${name}` })),
      (entry.request || row.lane >= 0) && button("Save HAR", () => download(`entry-${row.number}.har`, asHAR(timeline.rows, row))),
      row.connection > 0 && row.lane >= 0 && button("Only this socket", () => setFilter({ words: `connection=${row.connection}` }))),
    broken.map(id => h("p", { class: "problem" }, "Breaks ", h("a", { href: `#verdicts?at=${encodeURIComponent(id)}` }, id), ". ", findingText(id, row.number))),
    h("dl", { class: "facts" },
      fact("Time", `${entry.time.slice(0, 10)} ${entry.time.slice(11, -1)}`),
      fact("Since the entry before", before && duration(row.at - before.at)),
      fact("Since the one on this socket", beforeOnSocket && duration(row.at - beforeOnSocket.at)),
      fact("Arrived", entry.requested_at && entry.requested_at !== entry.time && clockTime(entry.requested_at)),
      fact("Due", (row.released ?? entry).due && clockTime((row.released ?? entry).due)),
      fact("Released", row.released && `${clockTime(row.released.time)}, ${row.released.action} by ${row.released.breakpoint}`),
      fact("Held for", row.released && duration(milliseconds(row.released.time) - milliseconds(row.released.due))),
      fact("Breakpoint", entry.breakpoint), fact("Subject", entry.subject), fact("Until", entry.until && clockTime(entry.until)),
      fact("Took", entry.request && duration(row.took)),
      fact("Connection", row.connection || null),
      fact("Operation", entry.endpoint),
      fact("User", row.user && h("button", { type: "button", class: "quiet mono", click: () => setFilter({ words: `user=${row.user}` }) }, row.user)),
      fact("Fault", row.faults.length > 0 && row.faults.map((name, i) => [i > 0 && ", ", h("a", { href: "#faults" }, name)])),
      fact("Delivery", entry.delivery?.replaceAll("_", " ")),
      fact("Unknown parameters", entry.unknown_parameters?.join(", ")),
      fact("Ended by", entry.by && `the ${entry.by}`), fact("Cause", entry.cause?.replaceAll("_", " ")),
      fact("Server's close", entry.server_close && closeText(entry.server_close)),
      fact("Client's close", entry.client_close && closeText(entry.client_close)),
      fact("Message", entry.message), fact("Effect", entry.effect), fact("Note", entry.text)),
    entry.near_misses?.length > 0 && nearMisses(entry),
    row.fold && row.fold.rows.length > 1 && folded(row),
    entry.request && part("Request", `${entry.request.method} ${quietTarget(entry.request.target)}`, entry.request),
    entry.response && part("Response", String(entry.response.status), entry.response),
    row.released && content(row.released, "payload") && bodyView("What the other side got", content(row.released, "payload")),
    entry.kind === "frame" && !(row.fold?.rows.length > 1) && bodyView("Payload", content(entry, "payload") ?? { text: "", bytes: new Uint8Array(), size: 0 }));
  aside.scrollTop = 0;
}

const title = row => row.kind === "exchange" ? `${row.verb} ${row.type}` : row.kind === "frame" ? `${row.verb} ${row.type}`
  : row.kind === "opened" ? `Socket ${row.connection} opened` : row.kind === "closed" ? `Socket ${row.connection} closed`
    : row.kind === "fault" ? `Fault ${row.faults[0]}` : row.kind === "clock" ? "Clock moved" : "Note";

const closeText = ({ code, reason }) => [code ?? "without a code", reason].filter(Boolean).join(" · ");

const findingText = (id, number) => state.verdicts?.verdicts.find(each => each.id === id)?.findings
  .find(each => numbersOf(each).includes(number))?.message;

function findBefore(row) {
  for (let at = row.position - 1; at >= 0; at -= 1) if (timeline.rows.all[at].connection === row.connection) return timeline.rows.all[at];
  return null;
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

function folded(row) {
  const { rows } = row.fold;
  const whole = rows.map(each => each.words ?? "").join("");
  return h("section", null, h("h3", null, `${counted(rows.length, "chunk")} in ${duration(rows.at(-1).at - rows[0].at)}`),
    h("p", { class: "code", dir: "auto" }, whole),
    h("details", null, h("summary", null, "One by one"), h("ul", null, rows.map((each, index) => h("li", null,
      h("a", { href: entryLink(each.number), class: "mono", click: event => { event.preventDefault(); chooseNumber(each.number); } }, each.number),
      ` +${duration(each.at - (rows[index - 1] ?? each).at)} `, h("bdi", { class: "dim" }, each.words))))));
}

function part(name, line, message) {
  const body = content(message, "body");
  return h("section", null, h("details", null, h("summary", null, `${name} · ${line} · ${counted(message.fields.length, "field")}`),
    h("dl", { class: "facts mono" }, message.fields.map(each => [h("dt", null, each.name), h("dd", null, each.value)]))),
  body && body.size > 0 && bodyView(`${name} body`, body));
}

/** A body as JSON, raw or hex; what is long is cut until it is asked for. */
function bodyView(name, body) {
  const box = h("section");
  const show = whole => {
    const isText = body.text != null;
    const shown = !isText ? "hex" : mode;
    let code, problem = null;
    const text = isText ? (whole ? body.text : body.text.slice(0, SHOWN)) : "";
    if (shown === "hex") code = h("pre", { class: "code hex", tabindex: "0" }, hexDump(body.bytes, whole ? Infinity : undefined));
    else {
      code = h("pre", { class: "code", tabindex: "0" });
      try {
        if (shown === "raw") throw null;
        code.append(...jsonPieces(text).map(([kind, piece]) => kind ? h("span", { class: kind }, piece) : piece));
      } catch (error) {
        if (error && text.length === body.text.length) problem = "This is not JSON.";
        code.textContent = text;
      }
    }
    const tabs = isText && ["json", "raw", "hex"].map(each => button({ json: "JSON", raw: "Raw", hex: "Hex" }[each], () => {
      mode = each;
      show(whole);
    }, { "aria-pressed": String(shown === each) }));
    fill(box, h("div", { class: "body-head" }, h("h3", null, name, " ", h("span", { class: "dim" }, bytes(body.size))), tabs,
      button("Copy", () => copyText(body.text ?? hexDump(body.bytes, Infinity), name.toLowerCase()))),
    problem && h("p", { class: "dim" }, problem), code, body.note && h("p", { class: "dim" }, body.note),
    isText && !whole && body.text.length > SHOWN && button(`Show all ${bytes(body.size)}`, () => show(true)));
  };
  show(false);
  return box;
}
