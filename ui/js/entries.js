// Journal entries as rows of the timeline: what each column says, and the lane of its socket.
import { content, duration, milliseconds, oneLine, quietTarget } from "./format.js";

const LANES = 10;
const CHUNKS = new Set(["stream_chunk", "assistant_message_chunk"]);
const ENDS = { close_frame: "close frame", finish: "FIN", reset: "RST", time_out: "time-out", fault: "a fault",
  violation: "a violation of the protocol", limit: "a limit of the server", shutdown: "the server's stop" };

/** The rows of one world, and the sockets that appear in them. */
export class Rows {
  all = [];
  byNumber = new Map();
  /** By connection: user, lane, and the rows of the first entry and of the end. */
  sockets = new Map();
  users = new Set();
  types = new Set();
  laneCount = 0;
  #taken = new Array(LANES).fill(0);
  #released = new Map();

  /** Adds an entry; returns its row. */
  add(entry) {
    const row = {
      number: entry.number, time: entry.time, at: milliseconds(entry.time), kind: entry.kind,
      connection: entry.connection ?? 0, entry, faults: entry.faults ?? [], user: entry.user ?? "", isPing: false,
      direction: "", verb: "", status: 0, type: "", more: "", took: 0, size: 0, lane: -1, lanes: 0, begins: false, ends: false,
    };
    describers[entry.kind]?.(row, entry);
    if (["opened", "frame", "closed", "fault"].includes(entry.kind)) this.#follow(row, entry);
    this.#noteRelease(row, entry);
    row.lanes = this.#taken.reduce((mask, connection, lane) => (connection ? mask | 1 << lane : mask), 0);
    if (row.ends && this.#taken[row.lane] === row.connection) this.#taken[row.lane] = 0;
    if (row.user) this.users.add(row.user);
    if (row.type && row.kind === "frame") this.types.add(row.type);
    row.position = this.all.length;
    this.all.push(row);
    this.byNumber.set(row.number, row);
    return row;
  }

  /** Drops the oldest rows. */
  drop(count) {
    for (const row of this.all.splice(0, count)) this.byNumber.delete(row.number);
    this.all.forEach((row, index) => { row.position = index; });
  }

  #follow(row, entry) {
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
    if (entry.kind === "closed") {
      socket.closed = row;
      row.ends = true;
    }
  }

  /** What was held says when it was due: in the entry of its release, which stands before its own. */
  #noteRelease(row, entry) {
    if (entry.kind === "released") this.#released.set(row.connection, entry);
    const released = this.#released.get(row.connection);
    if (released && row.faults.includes(released.breakpoint)) {
      row.released = released;
      this.#released.delete(row.connection);
    }
  }
}

const describers = {
  exchange(row, entry) {
    const { request, response } = entry;
    row.verb = request.method;
    row.type = quietTarget(request.target);
    row.status = response?.status ?? 0;
    const body = response && content(response, "body");
    row.size = body?.size ?? 0;
    row.took = row.at - milliseconds(entry.requested_at);
    row.more = !response ? "no response" : response.status >= 400 ? errorText(body?.text) : "";
  },
  opened(row, entry) {
    row.verb = "WS";
    row.status = 101;
    row.type = quietTarget(entry.request.target);
    row.took = row.at - milliseconds(entry.requested_at);
  },
  frame(row, entry) {
    row.direction = entry.direction === "client_to_server" ? "in" : "out";
    row.verb = row.direction === "in" ? "→" : "←";
    const payload = content(entry, "payload");
    row.size = payload?.size ?? 0;
    if (entry.opcode === "text") {
      const message = parsed(entry.payload);
      row.type = typeof message?.type === "string" ? oneLine(message.type, 60) : "text";
      row.isPing = row.type === "ping" || row.type === "pong";
      row.isChunk = CHUNKS.has(row.type);
      row.words = words(message);
      row.more = oneLine(row.words ?? (row.type === "text" ? entry.payload : ""));
    } else if (entry.opcode === "close") {
      row.type = "close";
      row.more = [entry.code ?? "no code", entry.reason && oneLine(entry.reason)].filter(Boolean).join(" · ");
    } else {
      row.type = entry.opcode;
      row.isPing = entry.opcode === "ping" || entry.opcode === "pong";
      row.more = entry.payload ? oneLine(entry.payload) : "";
    }
  },
  closed(row, entry) {
    row.verb = "✕";
    row.type = "closed";
    const close = entry.server_close ?? entry.client_close;
    row.more = [`by the ${entry.by}, ${ENDS[entry.cause] ?? entry.cause}`, close?.code, close?.reason && oneLine(close.reason), entry.message].filter(Boolean).join(" · ");
    row.isUnclean = !entry.clean;
  },
  fault(row, entry) {
    row.verb = "!";
    row.type = "fault";
    row.more = `${entry.fault} · ${String(entry.effect).replaceAll("_", " ")}`;
    row.faults = [entry.fault];
  },
  held(row, entry) {
    row.verb = "‖";
    row.type = "held";
    row.more = `${oneLine(entry.subject)} · by ${entry.breakpoint}`;
    row.direction = entry.direction === "client_to_server" ? "in" : "out";
  },
  released(row, entry) {
    row.verb = "▸";
    row.type = entry.action;
    row.more = `entry ${entry.held} · by ${entry.breakpoint}`;
  },
  clock(row, entry) {
    row.type = `The clock was moved by ${duration(entry.advanced_by_ns / 1e6)}.`;
  },
  note(row, entry) {
    row.type = oneLine(entry.text);
  },
};

export function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

/** What a message says to a reader. */
function words(message) {
  const said = message?.content ?? message?.message ?? message?.chunk ?? message?.text ?? message?.error?.message ?? message?.error;
  return typeof said === "string" ? said : null;
}

function errorText(body) {
  const message = body && parsed(body);
  return oneLine(message?.error?.message ?? message?.message ?? "");
}

/** Whether a row contains the pattern, in any part of its entry that was sent or received. */
export function rowContains({ entry, type, more, user, faults }, pattern) {
  const { request, response } = entry;
  return [type, more, user, ...faults, entry.payload, entry.endpoint, request?.target, request?.body, response?.body].some(text => text && pattern.test(text))
    || (request?.fields ?? []).some(field => pattern.test(`${field.name}: ${field.value}`));
}
