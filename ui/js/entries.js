// Journal entries as rows of the timeline: what each column says, and the lane of its socket.
import { content, duration, milliseconds, oneLine, parsed, quietTarget } from "./format.js";

const LANES = 10;
const CHUNKS = new Set(["stream_chunk", "assistant_message_chunk"]);

/** The rows of one world, and the sockets that appear in them. */
export class Rows {
  all = [];
  byNumber = new Map();
  /** By connection: user, lane, and the rows of the first entry and of the end. */
  sockets = new Map();
  users = new Set();
  types = new Set();
  laneCount = 0;
  requests = 0;
  /** The number of requests with a server error or without a response. */
  failures = 0;
  #taken = new Array(LANES).fill(0);
  #released = new Map();

  /** Adds an entry; returns its row. */
  add(entry) {
    const at = milliseconds(entry.time);
    const row = {
      number: entry.number, time: entry.time, at, took: entry.requested_at ? at - milliseconds(entry.requested_at) : 0,
      kind: entry.kind, connection: entry.connection ?? 0, entry, faults: entry.faults ?? [], user: entry.user ?? "",
      direction: { client_to_server: "in", server_to_client: "out" }[entry.direction] ?? "", isPing: false, verb: "", status: 0,
      type: "", more: "", size: 0, lane: -1, lanes: 0, begins: false, ends: false, position: this.all.length,
      ...describers[entry.kind]?.(entry),
    };
    if (["opened", "frame", "closed", "fault"].includes(entry.kind)) this.#follow(row);
    this.#noteRelease(row, entry);
    row.lanes = this.#taken.reduce((mask, connection, lane) => (connection ? mask | 1 << lane : mask), 0);
    if (row.ends && this.#taken[row.lane] === row.connection) this.#taken[row.lane] = 0;
    if (row.user) this.users.add(row.user);
    if (row.kind === "exchange") {
      this.requests += 1;
      if (row.status >= 500 || !row.status) this.failures += 1;
    }
    if (row.type && row.kind === "frame") this.types.add(row.type);
    this.all.push(row);
    this.byNumber.set(row.number, row);
    return row;
  }

  /** Drops the oldest rows. */
  drop(count) {
    for (const row of this.all.splice(0, count)) this.byNumber.delete(row.number);
    this.all.forEach((row, index) => { row.position = index; });
  }

  #follow(row) {
    let socket = this.sockets.get(row.connection);
    if (!socket) {
      const free = this.#taken.indexOf(0);
      if (free >= 0) this.#taken[free] = row.connection;
      socket = { connection: row.connection, user: row.user, lane: free, opened: row, closed: null };
      this.sockets.set(row.connection, socket);
      this.laneCount = Math.max(this.laneCount, free + 1);
      row.begins = true;
    }
    row.lane = socket.lane;
    row.user ||= socket.user;
    row.ends = row.kind === "closed";
    if (row.ends) socket.closed = row;
  }

  /** Notes when a held item was due; the entry of its release has that time, and stands before its own entry. */
  #noteRelease(row, entry) {
    if (entry.kind === "released") this.#released.set(row.connection, entry);
    const released = this.#released.get(row.connection);
    if (released && row.faults.includes(released.breakpoint)) {
      row.released = released;
      this.#released.delete(row.connection);
    }
  }
}

const withDots = (...parts) => parts.filter(Boolean).join(" · ");

/** The text of the row for each kind of entry. */
const describers = {
  exchange: ({ request, response }) => ({
    verb: request.method, type: quietTarget(request.target), status: response?.status ?? 0,
    size: (response && content(response, "body")?.size) ?? 0,
    more: !response ? "no response" : response.status >= 400 ? oneLine(words(parsed(response.body)) ?? "") : "",
  }),
  opened: ({ request }) => ({ verb: "WS", status: 101, type: quietTarget(request.target) }),
  frame(entry) {
    const isClose = entry.opcode === "close", message = entry.opcode === "text" ? parsed(entry.payload) : null;
    const type = entry.opcode !== "text" ? entry.opcode : typeof message?.type === "string" ? oneLine(message.type, 60) : "text";
    const said = words(message), close = withDots(entry.code ?? "no code", entry.reason && oneLine(entry.reason));
    return {
      verb: entry.direction === "client_to_server" ? "→" : "←", type, size: content(entry, "payload")?.size ?? 0, words: said,
      isPing: type === "ping" || type === "pong", isChunk: CHUNKS.has(type),
      more: isClose ? close : oneLine(said ?? (type === entry.opcode ? entry.payload ?? "" : "")),
    };
  },
  closed(entry) {
    const { by, cause, message, clean } = entry, close = entry.server_close ?? entry.client_close;
    const more = withDots(`by the ${by}, ${cause.replaceAll("_", " ")}`, close?.code, oneLine(close?.reason ?? ""), message);
    return { verb: "✕", type: "closed", more, isUnclean: !clean };
  },
  fault: ({ fault, effect }) =>
    ({ verb: "!", type: "fault", more: withDots(fault, String(effect).replaceAll("_", " ")), faults: [fault] }),
  held: ({ subject, breakpoint }) => ({ verb: "‖", type: "held", more: withDots(oneLine(subject), `by ${breakpoint}`) }),
  released: ({ action, held, breakpoint }) => ({ verb: "▸", type: action, more: withDots(`entry ${held}`, `by ${breakpoint}`) }),
  clock: entry => ({
    type: entry.of_system
      ? `The system clock was set ${entry.advanced_by_ns < 0 ? "back" : "forward"} by ${duration(Math.abs(entry.advanced_by_ns) / 1e6)}.`
      : `The clock was moved by ${duration(entry.advanced_by_ns / 1e6)}.`,
  }),
  note: ({ text }) => ({ type: oneLine(text) }),
};

/** The text of a message for readers. */
function words(message) {
  const { content: text, error, chunk, metadata } = message ?? {}, made = metadata?.template_created;
  const template = typeof made?.name === "string" ? `${made.type} template: ${made.name}` : undefined;
  const said = text ?? message?.message ?? chunk ?? message?.text ?? error?.message ?? error ?? template;
  return typeof said === "string" ? said : null;
}

/** Whether a row contains the pattern in any sent or received part of its entry. */
export function rowContains({ entry, type, more, user, faults }, pattern) {
  const { request, response } = entry;
  const texts = [type, more, user, ...faults, entry.payload, entry.endpoint, request?.target, request?.body, response?.body];
  return texts.some(text => text && pattern.test(text))
    || (request?.fields ?? []).some(field => pattern.test(`${field.name}: ${field.value}`));
}
