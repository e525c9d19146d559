// The worlds of the server: the one that is shown, and all of them with what can be done to them.
import { $, button, download, field, fill, h, heading, select, table } from "./dom.js";
import { clockTime } from "./format.js";
import { act, attempt, call, inWorld, sureButton } from "./api.js";
import { state, tell, when } from "./state.js";

const GUIDES = ["union", "consultation-websocket", "enhanced-consultations", "goal-linking", "websocket-architecture", "meal-log-websocket"];

export function startWorlds() {
  $("world").addEventListener("change", event => showWorld(event.target.value));
  when("panel", () => { if (state.panel === "worlds") readWorlds(); });
  when("world-event", () => readWorlds({ silently: true }));
  setInterval(() => { if (!document.hidden && !state.runs) readWorlds({ silently: true }); }, 5000);
}

export async function readWorlds({ silently = false } = {}) {
  if (state.runs) return drawPicker();
  const answer = silently ? await call("GET", "worlds").catch(() => null) : await attempt(() => call("GET", "worlds"));
  if (!answer) return;
  state.worlds = answer.worlds;
  drawPicker();
  tell("counts");
  if (state.panel === "worlds") draw();
}

function drawPicker() {
  const options = state.runs ? state.runs.map(run => [run.id, run.name ?? run.id])
    : state.worlds.slice(0, 500).map(world => [world.id, `${world.id} · ${world.scenario}`]);
  if (!options.some(([id]) => id === state.world)) options.push([state.world, `${state.world} · gone`]);
  const picker = $("world");
  const text = JSON.stringify(options);
  if (picker.dataset.options !== text) {
    picker.dataset.options = text;
    fill(picker, options.map(([id, name]) => h("option", { value: id }, name)));
  }
  picker.value = state.world;
}

export function showWorld(id) {
  if (state.world === id) return;
  state.world = id;
  $("world").value = id;
  tell("world");
  tell("address");
}

function draw() {
  const panel = $("worlds");
  const isEditing = panel.contains(document.activeElement) && document.activeElement.matches("input, select");
  const list = panel.querySelector(".world-list") ?? h("div", { class: "world-list" });
  fill(list, table("Worlds", [["World"], ["Scenario"], ["Guide"], ["Clock", "mono"], ["Users", "num"], ["Consultations", "num"], ["Goals", "num"],
    ["Meals", "num"], ["Sockets", "num"], [""]], state.worlds.slice(0, 500).map(row),
    index => state.worlds[index].id === state.world));
  if (isEditing || panel.contains(list)) return;
  fill(panel, heading("Worlds", "Each world is a backend of its own: users, clock, faults and journal. One that is idle for 30 minutes is forgotten."),
    list, h("div", { id: "marks" }), makeForm());
  readMarks();
}

/** Marks are states of the shown world that it can be taken back to. */
async function readMarks() {
  const { marks } = await call("GET", inWorld("marks")).catch(() => ({ marks: [] }));
  const change = (method, path, body, done) => act(method, path, body, done).then(readMarks);
  fill($("marks"), h("section", { class: "card" }, h("div", { class: "head" }, h("h3", null, `Marks of world ${state.world}`), h("span", { class: "gap" }),
    button("Set a mark", () => change("POST", "marks", {}, "The mark is set."))),
  marks.length ? table("Marks", [["Mark"], ["After entry", "num"], ["Time", "mono"], [""]], marks.map(mark => [mark.name, mark.number, clockTime(mark.time), [
    sureButton("Rewind", `World ${state.world} goes back to ${mark.name}: its sockets close, and later marks are dropped.`,
      () => change("POST", "rewind", { to: mark.name }, `The world is as it was at ${mark.name}.`)),
    button("Delete", () => change("DELETE", `marks/${encodeURIComponent(mark.name)}`), { class: "danger" })]]))
    : h("p", { class: "dim" }, "A mark keeps the world as it is now, so that you can come back to it.")));
}

const perform = (action, done) => attempt(action, done).then(() => readWorlds());
const path = (id, rest) => `worlds/${encodeURIComponent(id)}${rest ? "/" + rest : ""}`;

function row(world) {
  const counts = [world.users, world.consultations, world.goals, world.meal_logs, world.web_sockets].map(count => count.toLocaleString("en"));
  return [h("a", { href: `#timeline?world=${encodeURIComponent(world.id)}` }, world.id), world.scenario, world.guide,
    world.clock === "manual" ? `${clockTime(world.now)}, manual` : "real", ...counts, [
      sureButton("Reset", `World ${world.id} starts over: its sockets close, and its journal is emptied.`,
        () => perform(() => call("POST", path(world.id, "reset"), {}), `World ${world.id} started over.`)),
      button("Fork", () => perform(() => call("POST", path(world.id, "fork"), {}), "The copy is there.")),
      button("Export", async () => {
        const text = await attempt(() => call("GET", path(world.id, "state"), undefined, { as: "text" }));
        if (text) download(`${world.id}.json`, text);
      }),
      world.id !== "default" && sureButton("Delete", `World ${world.id} and everything in it goes away.`, () => perform(async () => {
        await call("DELETE", path(world.id));
        if (state.world === world.id) showWorld("default");
      }, `World ${world.id} is deleted.`), { class: "danger" })]];
}

function makeForm() {
  const scenario = select("Scenario", state.scenarios.map(each => each.name), "default", value => {
    summary.textContent = state.scenarios.find(each => each.name === value)?.summary ?? "";
  });
  const summary = h("p", { class: "dim" }, state.scenarios.find(each => each.name === "default")?.summary);
  const seed = h("input", { inputmode: "numeric", size: "8", placeholder: "1" });
  const guide = select("Guide", GUIDES, "union");
  const clock = select("Clock", [["real", "Real time"], ["manual", "Moved by hand"]], "manual");
  return h("form", { class: "card", submit: event => {
    event.preventDefault();
    perform(async () => {
      const made = await call("POST", "worlds", { scenario: scenario.value, guide: guide.value, clock: clock.value, judged: true,
        ...(seed.value.trim() && { seed: seed.value.trim() }) });
      showWorld(made.id);
    }, "The world is there, and this page shows it.");
  } }, h("h3", null, "Make a world"), h("div", { class: "fields" }, field("Scenario", scenario), field("Seed", seed), field("Guide", guide),
    field("Clock", clock), h("button", { class: "main", type: "submit" }, "Make it")), summary);
}
