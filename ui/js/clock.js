// The clock of the world, in the bar: what time it is, what is due next, and the ways to move it.
import { $, absolve, button, fill, h, toast } from "./dom.js";
import { duration, isoTime, milliseconds } from "./format.js";
import { attempt, call, calmly, inWorld, state, tell, when } from "./server.js";

/** The timer of a manual clock that runs. */
let running = null;

export function startClock() {
  const read = calmly(400, () => !state.runs && move(null));
  when("entries", read);
  when("world", () => { stop(); state.clock = null; fill($("clock")); read(); });
  setInterval(() => { if (state.clock && !document.hidden) tick(); }, 100);
}

const isManual = () => state.clock?.mode === "manual";

/** Moves the clock, or only reads it. */
async function move(by) {
  const world = state.world;
  const clock = await call(by ? "POST" : "GET", inWorld("clock"), by ?? undefined).catch(error => { if (by) throw error; });
  if (!clock || world !== state.world) return;
  const isOther = JSON.stringify(clock) !== JSON.stringify(state.clock);
  const isNewMode = clock.mode !== state.clock?.mode;
  Object.assign(state, { clock, clockReadAt: performance.now() });
  if (isNewMode) draw();
  else tick();
  if (isOther) tell("clock");
}

const advance = by => attempt(() => move(by));

/** The world's time now; a clock that nobody moves by hand goes on between two readings. */
export const worldNow = () => milliseconds(state.clock.now) + (isManual() ? 0 : performance.now() - state.clockReadAt);

function tick() {
  const time = isoTime(worldNow()), next = state.clock.next_step;
  const say = (name, text) => {
    const element = $("clock").querySelector(name);
    if (element && element.textContent !== text) element.textContent = text;
  };
  say(".date", time.slice(0, 10));
  say(".now", time.slice(11, isManual() ? 23 : 19));
  say(".due", !isManual() ? "UTC, real time" : next ? `next in ${duration(milliseconds(next) - worldNow())}` : "nothing due");
  if (isManual()) $("clock").querySelector("[data-step]").disabled = !next;
}

function draw() {
  const by = h("input", { "aria-label": "Move the clock by", placeholder: "10m", size: "5", title: "How far to move the clock, such as 30s, 10m, 24h or 7d; press Enter to move it" });
  // The refusal covers the page below the bar until the next step.
  const forgive = event => absolve(event.currentTarget);
  const move = async event => {
    event.preventDefault();
    forgive(event);
    if (by.value.trim() && await advance({ advance: by.value.trim() })) by.value = "";
  };
  fill($("clock"), h("span", { class: "date" }), h("span", { class: "now", "aria-label": "World time, UTC" }), h("span", { class: "due" }), isManual() && [
    [["s", "second"], ["min", "minute"], ["h", "hour"]].map(([unit, name]) =>
      button(`+1 ${unit}`, () => advance({ advance: `1${unit[0]}` }), { title: `Move the clock by one ${name}` })),
    h("form", { submit: move, input: forgive, focusout: forgive }, h("span", { "data-key": "advance" }, by)),
    button("Next event", nextEvent, { "data-step": true, title: "Move the clock to the next event  (n)" }),
    button(running ? "Pause" : "Run", run, { "aria-pressed": String(Boolean(running)), title: "Let time pass  (r)" })]);
  tick();
}

export function nextEvent() {
  if (isManual() && state.clock.next_step) advance({ advance_to: state.clock.next_step });
}

export function run() {
  if (!isManual()) return toast("This world follows the system clock.");
  if (running) return stop();
  let before = performance.now();
  const step = async () => {
    const elapsed = Math.round(performance.now() - before);
    before += elapsed;
    if (!await advance({ advance: `${elapsed}ms` })) return stop();
    if (running) running = setTimeout(step, 200);
  };
  running = setTimeout(step, 200);
  draw();
}

function stop() {
  clearTimeout(running);
  running = null;
  if (state.clock) draw();
}
