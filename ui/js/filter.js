// Which rows are shown. A filter has words like those of `fitiq-mock watch`: `key=value` is a condition, and any other
// word must be contained. Pings are shown with `pings=show`; the chunks of an answer are folded into one row, and each
// is shown with `chunks=show`, or none with `chunks=hide`.
import { rowContains } from "./entries.js";
import { duration, oneLine } from "./format.js";

const wordsOf = filter => filter.split(/\s+/).filter(Boolean);
const conditionOf = word => word.match(/^([a-z]+)=(.*)$/i)?.slice(1);

/** What a condition checks, given a row and the row of its request (a socket's opening). */
const CONDITIONS = {
  method: (row, wanted) => row.entry.request?.method === wanted.toUpperCase(),
  path: (row, wanted, opened) => hasPath(opened?.entry.request?.target.split("?")[0], wanted),
  status: (row, wanted) => row.status > 0 && String(row.status).startsWith(wanted.replace(/xx$/i, "")),
  endpoint: (row, wanted, opened) => opened?.entry.endpoint === wanted,
  user: (row, wanted) => row.user === wanted,
  trace: (row, wanted, opened) => opened?.entry.trace === wanted,
  connection: (row, wanted) => row.connection === Number(wanted),
  kind: (row, wanted) => row.kind === wanted,
  unmatched: (row, wanted) => row.kind === "exchange" && String(row.entry.unmatched != null) === wanted,
  direction: (row, wanted) => row.entry.direction === wanted,
  type: (row, wanted) => row.kind === "frame" && row.type === wanted,
  text: (row, wanted) => rowContains(row, containing(wanted)),
  verdict: (row, wanted, opened, breaches) => breaches.get(row.number)?.some(id => wanted === "broken" || wanted === id),
  pings: () => true,
  chunks: (row, wanted) => !row.isChunk || wanted !== "hide",
  fault: (row, wanted) => (wanted === "any" ? row.faults.length > 0 : row.faults.includes(wanted)),
};

const listed = values => [`${values.length > 1 ? "one of " : ""}${values.join(", ")}`, new RegExp(`^(${values.join("|")})$`)];
/** The values of a condition that does not take any text: in words, and as a pattern. */
const VALUES = {
  status: ["a status, such as 404, or a status class, such as 4xx", /^[1-5](\d\d|xx)$/i],
  connection: ["a whole number of at least 1", /^[1-9]\d*$/],
  kind: listed(FORMS.conditions.kind.enum), unmatched: listed(FORMS.conditions.unmatched.enum),
  direction: listed(FORMS.conditions.direction.enum), pings: listed(["show"]), chunks: listed(["show", "hide"]),
};

const containing = text => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");

function hasPath(path, wanted) {
  if (path == null) return false;
  if (!wanted.includes("{")) return path.includes(wanted);
  const segments = path.replace(/^\/w\/[^/]+/, "").split("/"), template = wanted.split("/");
  return segments.length === template.length && template.every((part, index) => part[0] === "{" || part === segments[index]);
}

/** The nearest word by edits, if it is near. */
function nearest(word, words) {
  const edits = (a, b) => {
    let row = [...b, 0].map((_, index) => index);
    for (let i = 1; i <= a.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= b.length; j += 1) next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      row = next;
    }
    return row[b.length];
  };
  const [count, near] = words.map(each => [edits(word, each), each]).sort(([a], [b]) => a - b)[0];
  return count <= Math.max(1, word.length / 3) ? near : null;
}

/** The mistake in the filter, if any. */
export function mistake(filter) {
  for (const word of wordsOf(filter)) {
    const [, key, sign, value] = word.match(/^([a-z]+)(:|[<>!=]=|[<>])(.*)$/) ?? [];
    if (!Object.hasOwn(CONDITIONS, key)) continue;
    const form = sign !== ":" && VALUES[key] ? `${key}= and ${VALUES[key][0]}` : `${key}=${value}`;
    return `${word} is not a condition. Write ${form}, or text=${word} to find this text.`;
  }
  for (const [key, value] of wordsOf(filter).map(conditionOf).filter(Boolean)) {
    if (!Object.hasOwn(CONDITIONS, key)) {
      const near = nearest(key, Object.keys(CONDITIONS)), hint = near ? ` Did you mean ${near}?` : "";
      return `There is no condition ${key}.${hint} The conditions are ${Object.keys(CONDITIONS).join(", ")}.`;
    }
    const [values, pattern] = VALUES[key] ?? [];
    if (pattern && !pattern.test(value)) return `${key}=${value} is not valid: ${key} must be ${values}.`;
  }
  return null;
}

/** Whether it leaves out more than pings and chunks. */
export const isNarrow = filter => wordsOf(filter).some(word => !["pings", "chunks"].includes(conditionOf(word)?.[0]));

/** The filter with this condition in place of the one with its key; `toggles` removes a condition that it has. */
export function withWord(filter, word, { toggles = false } = {}) {
  const words = wordsOf(filter), key = conditionOf(word)[0];
  const others = words.filter(each => conditionOf(each)?.[0] !== key);
  return (toggles && words.includes(word) ? others : [...others, word]).join(" ");
}

/** A function of a row: whether it passes. */
function matcher(filter, rows, breaches) {
  if (mistake(filter)) return () => false;
  const words = wordsOf(filter), hidesPings = !words.includes("pings=show");
  const tests = words.map(word => {
    const condition = conditionOf(word);
    if (!condition) return row => rowContains(row, containing(word));
    const [key, wanted] = condition;
    return row => CONDITIONS[key](row, wanted, row.entry.request ? row : rows.sockets.get(row.connection)?.opened, breaches);
  });
  return row => !(hidesPings && row.isPing) && tests.every(test => test(row));
}

/** Conditions that do not concern a single chunk. */
const OF_SOCKETS = ["pings", "method", "path", "endpoint", "user", "trace", "connection", "kind", "direction"];

/**
 * The rows that pass, in order; each knows its place among them, which is -1 if it does not pass. The chunks of an answer
 * have the place of a row that stands for all of them, its `fold`, unless that is `open`.
 */
export class View {
  rows = [];
  #matches;
  #isFolding;
  #open;
  #folds = new Map();

  constructor(filter, rows, breaches, open) {
    this.#matches = matcher(filter, rows, breaches);
    this.#isFolding = wordsOf(filter).every(word => OF_SOCKETS.includes(conditionOf(word)?.[0]));
    this.#open = open;
  }

  add(row) {
    row.fold = null;
    row.place = -1;
    if (row.connection && !row.isChunk && !row.isPing && row.direction !== "in") this.#folds.delete(row.connection);
    if (!this.#matches(row)) return;
    if (!row.isChunk || !this.#isFolding) row.place = this.rows.push(row) - 1;
    else this.#fold(row);
  }

  #fold(row) {
    let fold = this.#folds.get(row.connection);
    if (!fold) {
      fold = { ...row, chunks: [], size: 0, took: 0, faults: [], words: "", isFold: true };
      fold.place = this.rows.push(fold) - 1;
      this.#folds.set(row.connection, fold);
    }
    fold.chunks.push(row);
    fold.size += row.size;
    fold.faults = [...new Set([...fold.faults, ...row.faults])];
    if (fold.words.length < 240) fold.words += row.words ?? "";
    Object.assign(fold, { more: oneLine(fold.words), type: `${row.type} × ${fold.chunks.length}`, gap: duration(row.at - fold.at) });
    row.fold = fold;
    row.place = this.#open.has(fold.number) ? this.rows.push(row) - 1 : fold.place;
  }
}
