// The admin API, by relative URLs: the page works behind a port-forward and below any prefix.
import { ask, button, field, h, toast } from "./dom.js";
import { state } from "./state.js";

const KEY = "fitiq-mock-admin-token";

/** `/__admin/`, wherever that is. */
const root = new URL("./", location.href.split("#")[0]);

export const adminURL = path => new URL(path, root);

/** A path of the world; the default one has a name, too. */
export const inWorld = path => `worlds/${encodeURIComponent(state.world)}${path ? "/" + path : ""}`;

/** Where the world's own API is, as this page reaches it. */
export const worldURL = path => new URL(
  state.world === "default" ? `..${path}` : `../w/${encodeURIComponent(state.world)}${path}`, root);

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The fields with the admin token, if it was asked for. */
export function authorized(headers = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...headers, "X-Admin-Token": token } : headers;
}

let asking = null;

/** Asks for the admin token; one dialog, however many requests wait for it. */
export function askToken() {
  asking ??= new Promise(resolve => {
    const input = h("input", { type: "password", autocomplete: "off", required: true });
    const dialog = ask("Admin token", "Continue", null,
      h("p", null, "This server was started with --admin-token. This page keeps the token until its tab is closed."), field("Admin token", input));
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(KEY, input.value);
      asking = null;
      resolve();
    }, { once: true });
    input.focus();
  });
  return asking;
}

/** Sends a request; the answer's JSON, or its text where `as` is "text". Throws a `Refusal`. */
export async function call(method, path, body, { as = "json", headers = {}, url } = {}) {
  for (;;) {
    const answer = await fetch(url ?? adminURL(path), {
      method, cache: "no-store",
      headers: { ...(url ? {} : authorized()), ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    }).catch(() => { throw new Refusal(0, "The server does not answer."); });
    if (answer.status === 401 && !url) {
      await askToken();
      continue;
    }
    const text = await answer.text();
    if (!answer.ok) throw new Refusal(answer.status, refusalText(text) ?? `The server answered ${answer.status}.`);
    if (as === "text") return text;
    return text ? JSON.parse(text) : null;
  }
}

function refusalText(text) {
  try {
    const { error, message } = JSON.parse(text);
    return error?.message ?? message;
  } catch {
    return null;
  }
}

/** Runs what a control asks for, and shows why it failed if it did. */
export async function attempt(action, done) {
  try {
    const result = await action();
    if (done) toast(done);
    return result ?? true;
  } catch (error) {
    toast(error.message, { bad: true });
    return null;
  }
}

/** Sends a request about the world, and shows why it failed if it did. */
export const act = (method, path, body, done) => attempt(() => call(method, inWorld(path), body), done);

/** A button that asks once more before it acts. */
export const sureButton = (label, question, action, attributes) =>
  button(label, () => ask(label, label, action, h("p", null, question)), attributes);
