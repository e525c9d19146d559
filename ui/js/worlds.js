// The worlds of the server: the one that is shown, and all of them with what can be done to them.
import { $, button, download, fill, form, h, heading, table } from "./dom.js";
import { clockTime } from "./format.js";
import { attempt, call, inWorld, sureButton } from "./api.js";
import { members } from "./form.js";
import { collection } from "./panel.js";
import { state, tell, when, whileShown } from "./state.js";

const list = h("div", { class: "world-list" });

export function startWorlds() {
  $("world").addEventListener("change", event => showWorld(event.target.value));
  const marks = collection({
    id: "marks", label: "Marks", path: "marks", empty: "A mark keeps the world as it is now, so that you can come back to it.",
    columns: [["Mark"], ["After entry", "num"], ["Time", "mono"], [""]],
    row: (mark, does) => [mark.name, mark.number, clockTime(mark.time), [
      does.button("Rewind", "POST", "rewind", { body: { to: mark.name }, done: `The world is as it was at ${mark.name}.`,
        sure: `World ${state.world} goes back to ${mark.name}: its sockets close, and later marks are dropped.` }),
      does.button("Delete", "DELETE", `marks/${encodeURIComponent(mark.name)}`, { danger: true })]],
  });
  fill($("worlds"), heading("Worlds", "Each world is a backend of its own: users, clock, faults and journal. One that is idle for 30 minutes is forgotten."), list,
    h("section", { class: "card" }, h("div", { class: "head" }, h("h3", null, "Marks of this world"),
      button("Set a mark", () => marks.change("POST", "marks", {}, "The mark is set."))), marks.place), makeForm());
  whileShown("worlds", "world-event", 1000, () => Promise.all([marks.read(), readWorlds()]));
  when("world-event", readWorlds);
  setInterval(() => { if (!document.hidden && !state.runs) readWorlds(); }, 5000);
}

let shown = "";

export async function readWorlds() {
  const answer = state.runs ? null : await call("GET", "worlds").catch(() => null);
  state.worlds = answer?.worlds ?? state.worlds;
  const options = state.runs ? state.runs.map(run => [run.id, run.name ?? run.id]) : state.worlds.slice(0, 500).map(world => [world.id, `${world.id} · ${world.scenario}`]);
  if (!options.some(([id]) => id === state.world)) options.push([state.world, `${state.world} · gone`]);
  const text = JSON.stringify([options, state.world, state.worlds]);
  if (text === shown) return;
  shown = text;
  fill($("world"), options.map(([id, name]) => h("option", { value: id }, name))).value = state.world;
  tell("worlds");
  fill(list, table("Worlds", [["World"], ["Scenario"], ["Guide"], ["Clock", "mono"], ["Users", "num"], ["Consultations", "num"], ["Goals", "num"],
    ["Meals", "num"], ["Sockets", "num"], [""]], state.worlds.slice(0, 500).map(row), index => state.worlds[index].id === state.world));
}

export function showWorld(id) {
  if (state.world === id) return;
  state.world = id;
  $("world").value = id;
  tell("world");
  tell("address");
}

const perform = (action, done) => attempt(action, done).then(readWorlds);
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
  const { seed, guide } = FORMS.world;
  const made = members({ scenario: { enum: state.scenarios.map(each => each.name) }, seed: { ...seed, example: "1" }, guide,
    clock: { enum: ["manual", "real"], description: "Moved by hand, or the system's" } }, { values: { scenario: "default" }, required: ["scenario", "clock"] });
  return form("Make a world", () => perform(async () => showWorld((await call("POST", "worlds", { judged: true, ...made.value() })).id),
    "The world is there, and this page shows it."), h("div", { class: "fields" }, made.elements), h("button", { class: "main", type: "submit" }, "Make it"));
}
