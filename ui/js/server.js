// The page's state, and its requests to the server: relative URLs, so that it works behind a port-forward and below any
// prefix.
import { ask, blame, button, field, h, toast } from "./dom.js";
import { parsed } from "./format.js";

/** The name under which this page holds items; the server releases them when the page's stream ends. */
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
  /** The numbers of the entries that break a must. */
  grave: new Set(),
  /** The numbers of entries with a breach that was just found. */
  fresh: new Set(),
  held: [],
  panel: "timeline",
  /** The runs in the document; null if the page has a server. */
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

/** Reads a panel when it appears, and on the topics while it is visible, at most once in `wait` milliseconds. */
export function whileShown(panel, topics, wait, read) {
  const isShown = () => state.panel === panel && !state.runs;
  const calm = calmly(wait, async () => { if (isShown()) await read(); });
  when("panel world", () => { if (isShown()) read(); });
  when(topics, calm);
}

// MARK: Requests

const KEY = "fitiq-mock-admin-token";

/** `/__admin/`, wherever that is. */
const root = new URL("./", location.href.split("#")[0]);

/** A path of the world; the default one has a name, too. */
export const inWorld = path => `worlds/${encodeURIComponent(state.world)}${path ? "/" + path : ""}`;

/** Where the world's own API is, as this page reaches it. */
export const worldURL = path => new URL(
  state.world === "default" ? `..${path}` : `../w/${encodeURIComponent(state.world)}${path}`, root);

let asking = null;

/** Asks for the admin token; one dialog, however many requests wait for it. */
function askToken() {
  asking ??= new Promise(resolve => {
    const input = h("input", { type: "password", autocomplete: "off", required: true });
    const why = "This server was started with --admin-token. This page keeps the token until its tab is closed.";
    const dialog = ask("Admin token", "Continue", null, h("p", null, why), field("Admin token", input));
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(KEY, input.value);
      asking = null;
      resolve();
    });
  });
  return asking;
}

/** Fetches from the admin API, and asks for the admin token as long as the server does. */
async function fetchAdmin(path, { headers, ...options }) {
  for (;;) {
    const token = sessionStorage.getItem(KEY);
    const sent = token ? { ...headers, "X-Admin-Token": token } : headers;
    const answer = await fetch(new URL(path, root), { ...options, headers: sent });
    if (answer.status !== 401) return answer;
    await askToken();
  }
}

/** Sends a request; the answer's JSON, or its text where `as` is "text". Throws an error, with the `status` of a refusal. */
export async function call(method, path, body, { as = "json", headers = {}, url } = {}) {
  const options = { method, cache: "no-store", body: body && JSON.stringify(body),
    headers: { ...(body && { "Content-Type": "application/json" }), ...headers } };
  const answer = await (url ? fetch(url, options) : fetchAdmin(path, options))
    .catch(() => { throw new Error("The server does not respond."); });
  const text = await answer.text();
  if (!answer.ok) {
    const message = parsed(text)?.error?.message ?? parsed(text)?.message ?? `The server answered ${answer.status}.`;
    throw Object.assign(new Error(message), { status: answer.status });
  }
  return as === "text" ? text : text ? JSON.parse(text) : null;
}

/** Runs a control's action, and shows an error if it fails; the result is null then. */
export async function attempt(action, done) {
  try {
    const result = await action() ?? true;
    if (done) toast(done);
    return result;
  } catch (error) {
    blame(error.message);
    return toast(error.message, { bad: true });
  }
}

/** Sends a request about the world, and shows an error if it fails. */
export const act = (method, path, body, done) => attempt(() => call(method, inWorld(path), body), done);

/** A button that asks once more before it acts. */
export const sureButton = (label, question, action, attributes) =>
  button(label, () => ask(label, label, action, h("p", null, question)), attributes);

// MARK: Events

/** The events {id, event, data} in a stream of bytes; the server's data has no line breaks. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const event = Object.fromEntries(block.split("\n").map(line => line.match(/^(\w+): (.*)$/s)?.slice(1)).filter(Boolean));
        if (event.data) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Follows the current world until the signal aborts: `onEvents` gets batches, `onLink` what the connection is
 * ("live", "lost", "gone"), `onRestart` is called when another process has begun a journal of its own.
 */
export async function follow({ signal, onEvents, onLink, onRestart }) {
  let lastID = "0", instance = null, batch = [], timer = null;
  const flush = () => {
    timer = null;
    const taken = batch;
    batch = [];
    if (!signal.aborted && taken.length) onEvents(taken);
  };
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      // Breakpoints of this page end with its stream, so that nothing waits for a page that was closed.
      const answer = await fetchAdmin(inWorld(`events?verdicts=true&controller=${CONTROLLER}`),
        { signal, headers: { "Last-Event-ID": lastID } });
      if (answer.status === 404) return onLink("gone");
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      onLink("live");
      wait = 500;
      for await (const event of events(answer.body)) {
        lastID = event.id ?? lastID;
        if (event.event === "world") {
          const world = JSON.parse(event.data);
          const isOther = instance && world.instance !== instance;
          instance = world.instance;
          if (isOther) {
            [lastID, batch] = ["0", []];
            onRestart();
            throw new Error("The server was restarted.");
          }
        }
        batch.push(event);
        // Shows a burst once a frame; requestAnimationFrame would wait for ever in a hidden tab.
        timer ??= setTimeout(flush, 16);
      }
    } catch { /* The loop tries again. */ }
    if (signal.aborted) return;
    onLink("lost");
    await new Promise(resolve => setTimeout(resolve, wait));
  }
}
