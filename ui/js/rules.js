// The rules of faults and breakpoints as sentences.
import { inText } from "./dom.js";
import { labelled } from "./format.js";

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const quoted = text => `“${inText(text)}”`;

/** Which of a series: a number, a range such as 2..4 or 3.., or a selection. */
function which(noun, value) {
  const [from, to = from] = typeof value === "object" ? [value.from ?? 1, value.to ?? ""] : String(value).split("..");
  const range = to === "" ? (Number(from) === 1 ? `all ${noun}s` : `${noun}s from ${from} on`)
    : from === to ? `${noun} ${from}` : `${noun}s ${from} to ${to}`;
  const share = [value.every && `1 in ${value.every} of them`, value.per_mille != null && `${value.per_mille} in 1000 of them`];
  return [range, ...share].filter(Boolean).join(", ");
}

function point({ frame, type, n, chunk, answer, byte }) {
  if (type) return `At ${n ? which(`${type} frame`, n) : `every ${type} frame`}`;
  if (chunk) return `At ${which("chunk", chunk)} of ${answer ? `answer ${answer}` : "each answer"}`;
  return `At ${frame ? which("frame", frame) : `byte ${byte}`}`;
}

/** What a breakpoint holds, where the word is another one. */
const HOLDS = { client_to_server: "frames from the client", server_to_client: "frames from the server", both: "frames",
  request: "requests", response: "responses" };
export const holds = hold => `${HOLDS[hold.what ?? hold]}${hold.text ? ` that contain ${quoted(hold.text)}` : ""}`;

const ENDS = { finish: "FIN", reset: "RST", silence: "silence" };
/** The words for the members of a rule that are not only switched on. */
const SAYS = {
  requests: value => `Only ${which("request", value)}`, connections: value => `Only ${which("connection", value)}`,
  connection: value => `Only connection ${value}`, at: point,
  status: (value, { quota }) => `${quota ? "Then answers" : "Answers"} ${value}`,
  processed: () => "After the backend has carried out the request",
  quota: ({ requests, per }) => `Answers ${counted(requests, "request")} per ${per} correctly`,
  code: value => `With the code ${value}`, message: value => `With the message ${quoted(value)}`,
  body: value => `With the body ${quoted(value)}`, content_type: value => (value == null ? "Without Content-Type" : `With Content-Type ${value}`),
  retry_after: value => `With Retry-After ${value}`, delay: value => `Waits ${value}`,
  dribble: ({ bytes: count, every }) => `Sends ${counted(count, "byte")} every ${every}`,
  truncate: ({ after }) => `Ends the connection after ${counted(after, "byte")} of the body`,
  content_length: value => `Makes Content-Length too ${value > 0 ? "large" : "small"} by ${Math.abs(value)}`,
  malformed: value => (value === "json" ? "Sends a body that is not valid JSON" : "Sends broken chunks"),
  reset: ({ after }) => `Resets the connection${after == null ? "" : ` after ${counted(after, "byte")}`}`,
  close: value => `Closes with ${value === "none" ? "no code" : value.code ?? value}${value.reason ? ` and the reason ${quoted(value.reason)}` : ""}`,
  cut: ({ after, reset }) => `Sends ${counted(after, "byte")} of the frame, then ${reset ? "RST" : "FIN"}`,
  end: ({ how, after }) => `Sends the frame, then ${ENDS[how]}${after ? ` after ${after}` : ""}`,
  reserved_bits: value => `Sets the frame's reserved bits to ${value}`, fragments: value => `Splits the text at bytes ${inText(value)}`,
  coalesce: value => `Sends ${value} messages in one frame`, compression: value => `Breaks compression, ${value}`,
  replace: value => `Sends ${quoted(value)} in place of the text`, insert: value => `Sends ${quoted(value)} before the frame`,
  hold: value => `Holds ${holds(value)}${value.for ? `, for ${value.for}` : ""}`,
};

/** A rule's members in words, in order; a member that is only switched on has the schema's description. */
export function inPhrases(rule, first = []) {
  const said = Object.entries(rule).filter(([, value]) => value !== false).map(([key, value]) => SAYS[key]?.(value, rule)
    ?? (value === true ? FORMS.fault[key]?.description.split(/[.;]/)[0] : null) ?? `${labelled(key)} ${inText(value)}`);
  // Acronyms keep their capitals.
  return [...first, ...said].map((part, index) => (index ? part.replace(/^[A-Z](?![A-Z])/, letter => letter.toLowerCase()) : part)).join(", ");
}
