// The clock of the world, in the bar: what time it is, what is due next, and the ways to move it.
import { $, button, fill, h, toast } from "./dom.js";
import { duration, isoTime, milliseconds } from "./format.js";
import { attempt, call, inWorld } from "./api.js";
import { calmly, state, tell, when } from "./state.js";

let running = null;

export function startClock() {
  const read = calmly(400, readClock);
  when("entries", read);
  when("world", () => { stop(); state.clock = null; draw(); read(); });
  setInterval(() => { if (state.clock && !document.hidden) tick(); }, 100);
}

async function readClock() {
  if (state.runs) return;
  const world = state.world;
  const clock = await call("GET", inWorld("clock")).catch(() => null);
  if (clock && world === state.world) take(clock);
}

function take(clock) {
  const isOther = JSON.stringify(clock) !== JSON.stringify(state.clock);
  const isNewMode = clock.mode !== state.clock?.mode;
  state.clock = clock;
  state.clockReadAt = performance.now();
  if (isNewMode) draw();
  tick();
  if (isOther) tell("clock");
}

/** The world's time now; a clock that is not moved by hand goes on between two readings. */
export function worldNow() {
  const at = milliseconds(state.clock.now);
  return state.clock.mode === "manual" ? at : at + performance.now() - state.clockReadAt;
}

function tick() {
  const now = $("clock").querySelector(".now"), due = $("clock").querySelector(".due");
  if (!now) return;
  const time = isoTime(worldNow());
  const text = state.clock.mode === "manual" ? time.slice(11, 23) : time.slice(11, 19);
  if (now.textContent !== text) now.textContent = text;
  now.title = time;
  const next = state.clock.next_step;
  const ahead = next ? milliseconds(next) - worldNow() : 0;
  const said = state.clock.mode !== "manual" ? "" : next ? `next in ${duration(ahead)}` : "nothing due";
  if (due && due.textContent !== said) due.textContent = said;
  const step = $("clock").querySelector("[data-step]");
  if (step) step.disabled = !next;
}

function draw() {
  if (!state.clock) return fill($("clock"));
  if (state.clock.mode !== "manual") {
    return fill($("clock"), h("span", { class: "now", "aria-label": "World time, UTC" }), h("span", { class: "dim" }, "UTC, real time"));
  }
  fill($("clock"), h("span", { class: "now", "aria-label": "World time, UTC" }), h("span", { class: "due" }),
    button("+1 s", () => advance({ advance: "1s" }), { title: "Move the clock by one second" }),
    button("Next event", nextEvent, { "data-step": true, title: "Move the clock to what is due next  (n)" }),
    button(running ? "Pause" : "Run", run, { "aria-pressed": String(Boolean(running)), title: "Let time pass as on a real clock  (r)" }),
    h("form", { class: "tools", submit: event => {
      event.preventDefault();
      const text = new FormData(event.target).get("by").trim();
      if (text) advance(/^\d{4}-/.test(text) ? { advance_to: text } : { advance: text });
    } }, h("input", { name: "by", size: "6", placeholder: "5m", "aria-label": "Move the clock by a duration, or to a time" })));
}

const advance = by => attempt(async () => take(await call("POST", inWorld("clock"), by)));

export function nextEvent() {
  const next = state.clock?.mode === "manual" && state.clock.next_step;
  if (next) advance({ advance_to: next });
}

export function run() {
  if (state.clock?.mode !== "manual") return toast("This world follows the system's clock.");
  if (running) return stop();
  let before = performance.now();
  const step = async () => {
    const now = performance.now();
    const elapsed = Math.round(now - before);
    before = now;
    try { take(await call("POST", inWorld("clock"), { advance: `${elapsed}ms` })); } catch (error) {
      toast(error.message, { bad: true });
      return stop();
    }
    if (running) running = setTimeout(step, 200);
  };
  running = setTimeout(step, 200);
  draw();
  tick();
}

function stop() {
  clearTimeout(running);
  running = null;
  if (state.clock) { draw(); tick(); }
}
