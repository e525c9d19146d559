// What the page knows, and who wants to hear of it.

/** The name under which this page holds things: what it holds goes on when its stream ends. */
export const CONTROLLER = `page-${Math.random().toString(36).slice(2, 10)}`;

export const state = {
  world: "default",
  worlds: [],
  scenarios: [],
  clock: null,
  /** When the clock was read, by performance.now(). */
  clockReadAt: 0,
  verdicts: null,
  /** The names of broken obligations by entry number. */
  breaches: new Map(),
  /** The numbers of entries that a breach was just found in. */
  fresh: new Set(),
  held: [],
  panel: "timeline",
  /** The runs that are inlined in the document; null where a server is behind the page. */
  runs: null,
};

const listeners = new Map();

export function when(topics, listener) {
  for (const topic of topics.split(" ")) listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
}

export function tell(topic, value) {
  for (const listener of listeners.get(topic) ?? []) listener(value);
}

/** Calls at most once in `wait` milliseconds, and once more after the last call. */
export function calmly(wait, action) {
  let timer = null, again = false;
  const start = () => { timer = setTimeout(run, 0); };
  const run = async () => {
    again = false;
    try { await action(); } finally {
      timer = setTimeout(() => { timer = null; if (again) start(); }, wait);
    }
  };
  return () => { if (timer) again = true; else start(); };
}

/** Reads a panel when it is shown, and while it is when one of the topics is told, at most once in `wait` milliseconds. */
export function whileShown(panel, topics, wait, read) {
  const isShown = () => state.panel === panel && !state.runs;
  const calm = calmly(wait, async () => { if (isShown()) await read(); });
  when("panel world", () => { if (isShown()) read(); });
  when(topics, calm);
}
