// An entry as a command, as a scenario and as HAR.
import { content, isoTime, milliseconds } from "./format.js";

const fieldOf = (message, name) => message.fields.find(each => each.name.toLowerCase() === name)?.value;
const quote = text => `'${text.replaceAll("'", "'\\''")}'`;
// The journal has the body before gzip; a gzip file begins with 1F 8B.
const isGzip = ({ name, value }) => name.toLowerCase() === "content-encoding" && /^(x-)?gzip$/i.test(value);
const fieldsOf = ({ fields, body_base64: base64 }) => fields.filter(field => base64?.startsWith("H4s") || !isGzip(field));
const UNSENT = new Set(["host", "content-length", "connection", "upgrade", "accept-encoding"]);

export function asCurl({ request, kind }) {
  // The server is where the page is, perhaps below a prefix.
  const isReport = location.protocol === "file:", host = fieldOf(request, "host") ?? "localhost:8080";
  const base = isReport ? `http://${host}` : new URL("..", location.href).href.slice(0, -1);
  const parts = ["curl -sS -i"];
  if (request.method !== "GET") parts.push(`-X ${request.method}`);
  parts.push(quote(request.target.startsWith("/") ? base + request.target : request.target));
  for (const { name, value } of fieldsOf(request)) {
    if (!UNSENT.has(name.toLowerCase())) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  if (kind === "opened") parts.push("-H 'Connection: Upgrade'", "-H 'Upgrade: websocket'");
  if (request.body) parts.push(`--data-raw ${quote(request.body)}`);
  const command = parts.join(" \\\n  ");
  if (!request.body_base64) return command;
  return `printf %s ${quote(request.body_base64)} | base64 -d | ${command} \\\n  --data-binary @-`;
}

/** A scenario as YAML; members of faults and answers, each on a line, are written as JSON, which is YAML. */
function yaml({ name, summary, ...lists }) {
  const line = ([key, value], index) => `${index ? "    " : "  - "}${key}: ${JSON.stringify(value)}`;
  const list = ([key, items]) => (items.length ? [`${key}:`, ...items.flatMap(item => Object.entries(item).map(line))] : []);
  return [`name: ${name}`, `summary: ${JSON.stringify(summary)}`, "", ...Object.entries(lists).flatMap(list), ""].join("\n");
}

function faultOf({ response, endpoint }) {
  const on = FORMS.endpoints[endpoint];
  if (!on || response?.status < 200) return null;
  if (!response) return { on, requests: 1, empty_reply: true };
  const type = fieldOf(response, "content-type"), { status, body } = response;
  return { on, requests: 1, status, ...(type && { content_type: type }), ...(body != null && { body }) };
}

function endOf(rows, { entry: { cause, by, server_close: close }, connection, position }) {
  if (by === "client") return null;
  const sent = rows.all.slice(0, position).filter(each => each.connection === connection && each.direction === "out");
  const frame = sent.filter(each => each.entry.opcode === "text").length + 1;
  const action = cause === "close_frame" && close ? { close: { code: close.code ?? 1000, reason: close.reason ?? "" } }
    : { [cause === "reset" ? "reset" : "finish"]: true };
  return { on: "socket", connections: [...rows.sockets.keys()].indexOf(connection) + 1, at: { frame }, ...action };
}

const isQuestion = row => row.direction === "in" && (row.type === "message" || row.type === "user_message");

/** Each question with the answer that followed it on its socket. */
function conversations(all) {
  const open = new Map(), found = [];
  for (const row of all) {
    const last = open.get(row.connection);
    if (isQuestion(row)) {
      const begun = { question: row, text: "" };
      open.set(row.connection, begun);
      found.push(begun);
    } else if (row.isChunk && last) last.text += row.words ?? "";
  }
  return found;
}

const answerOf = ({ question, text }) => ({ when: { content: question.words ?? "" }, text });

/** A scenario that repeats what the entry shows; null if an entry has nothing to repeat. */
export function asScenario(rows, row) {
  const write = (said, key, item) =>
    item && yaml({ name: `entry-${row.number}`, summary: `${said} as it did in entry ${row.number}.`, [key]: [item] });
  if (row.kind === "exchange") return write(`The server answers ${row.verb}`, "faults", faultOf(row.entry));
  if (row.kind === "closed") return write("A socket ends", "faults", endOf(rows, row));
  if (row.kind !== "frame") return null;
  const own = conversations(rows.all.filter(each => each.connection === row.connection));
  const found = own.findLast(each => each.question.position <= row.position);
  return write("The coach answers", "answers", found?.text ? answerOf(found) : null);
}

/** The whole timeline as a scenario: each answer of the coach, and what went wrong. */
export const timelineAsScenario = (rows, name) => yaml({
  name, summary: "Repeats what happened.", answers: conversations(rows.all).filter(each => each.text).map(answerOf),
  faults: rows.all.map(row => (row.kind === "exchange" && (row.status >= 500 || !row.status) ? faultOf(row.entry)
    : row.kind === "closed" && row.isUnclean ? endOf(rows, row) : null)).filter(Boolean),
});

const OPCODES = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

const harMessage = ({ direction, time, opcode, payload, payload_base64: base64 }) => ({ data: payload ?? base64 ?? "",
  type: direction === "client_to_server" ? "send" : "receive", time: milliseconds(time) / 1000, opcode: OPCODES[opcode] ?? 0 });

/** The common parts of requests and responses in a HAR. */
const harPart = (message, version) => ({ httpVersion: `HTTP/${version}`, headers: message ? fieldsOf(message) : [], cookies: [],
  headersSize: -1, bodySize: message ? content(message, "body")?.size ?? 0 : -1 });

/** The exchange, or the socket with all its messages, that an entry belongs to. */
export function asHAR(rows, row) {
  const ofSocket = rows.all.filter(each => each.connection === row.connection);
  const entry = row.entry.request ? row.entry : ofSocket.find(each => each.kind === "opened")?.entry;
  if (!entry) return null;
  const { request, response } = entry;
  const typeOf = message => fieldOf(message, "content-type") ?? "";
  const began = milliseconds(entry.requested_at), took = milliseconds(entry.time) - began;
  const isSocket = entry.kind === "opened";
  const har = {
    startedDateTime: isoTime(began), time: took, cache: {}, timings: { send: 0, wait: took, receive: 0 },
    request: {
      ...harPart(request, request.version), method: request.method,
      url: `${isSocket ? "ws" : "http"}://${fieldOf(request, "host") ?? "localhost"}${request.target}`,
      queryString: [...new URLSearchParams(request.target.split("?")[1] ?? "")].map(([name, value]) => ({ name, value })),
      ...(request.body && { postData: { mimeType: typeOf(request), text: request.body } }),
    },
    response: {
      ...harPart(response, request.version), status: response?.status ?? 0, statusText: "", redirectURL: "",
      content: { size: response ? content(response, "body")?.size ?? 0 : 0, mimeType: response ? typeOf(response) : "",
        text: response?.body ?? response?.body_base64 ?? "", ...(response?.body_base64 && { encoding: "base64" }) },
    },
    ...(isSocket && { _resourceType: "websocket",
      _webSocketMessages: ofSocket.filter(each => each.kind === "frame").map(each => harMessage(each.entry)) }),
  };
  return JSON.stringify({ log: { version: "1.2", creator: { name: "fitiq-mock", version: "" }, entries: [har] } }, null, 2);
}
