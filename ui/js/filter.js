// Which rows are shown. Runs of chunks are one row unless they are asked for one by one.
import { rowContains } from "./entries.js";

export const noFilter = () => ({ text: "", kind: "", type: "", direction: "", user: "", status: "", verdict: "", socket: "",
  pings: "hide", chunks: "fold" });

const KINDS = { requests: ["exchange", "opened"], sockets: ["opened", "frame", "closed", "fault"], frames: ["frame"],
  other: ["fault", "held", "released", "clock", "note"] };

export const isFiltering = filter => Object.entries(filter).some(([key, value]) => key !== "pings" && key !== "chunks" && value);

/** A function of a row: whether it passes. */
function matcher(filter, breaches) {
  const kinds = KINDS[filter.kind];
  const pattern = filter.text && new RegExp(filter.text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  const socket = Number(filter.socket);
  return row => !(filter.pings === "hide" && row.isPing)
    && (!kinds || kinds.includes(row.kind))
    && (!filter.type || row.type === filter.type)
    && (!filter.direction || row.direction === filter.direction)
    && (!filter.user || row.user === filter.user)
    && (!socket || row.connection === socket)
    && (!filter.status || hasStatus(row, filter.status))
    && (!filter.verdict || hasVerdict(row, filter.verdict, breaches))
    && (!pattern || rowContains(row, pattern));
}

function hasStatus(row, wanted) {
  if (row.kind !== "exchange" && row.kind !== "opened") return false;
  if (wanted === "none") return row.status === 0;
  return wanted.endsWith("xx") ? Math.floor(row.status / 100) === Number(wanted[0]) : row.status === Number(wanted);
}

function hasVerdict(row, wanted, breaches) {
  if (wanted === "faults") return row.faults.length > 0;
  if (wanted === "unmatched") return row.entry.unmatched != null;
  const names = breaches.get(row.number);
  return wanted === "broken" ? names != null : names?.includes(wanted) ?? false;
}

/** The rows that pass, in order, with runs of chunks folded into their first row. */
export class View {
  rows = [];
  #runs = new Map();
  #matches;
  #folds;

  constructor(filter, breaches) {
    this.#matches = matcher(filter, breaches);
    this.#folds = filter.chunks === "fold";
  }

  add(row) {
    row.fold = null;
    row.head = row;
    if (!this.#matches(row)) {
      row.head = null;
      return;
    }
    row.place = this.rows.length;
    if (this.#folds && row.kind === "frame" && !row.isPing) {
      const run = this.#runs.get(row.connection);
      if (row.isChunk && run && run.type === row.type) {
        run.fold.rows.push(row);
        if (run.fold.text.length < 400) run.fold.text += row.words ?? "";
        row.head = run;
        return;
      }
      if (row.isChunk) {
        row.fold = { rows: [row], text: row.words ?? "" };
        this.#runs.set(row.connection, row);
      } else {
        this.#runs.delete(row.connection);
      }
    }
    this.rows.push(row);
  }
}
