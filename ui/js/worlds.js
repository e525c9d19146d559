// The worlds of the server, what can be done to them, and what the shown one holds.
import { $, ask, button, download, fill, form, h, heading, openDialog, segments, shortID, table } from "./dom.js";
import { clockTime } from "./format.js";
import { act, attempt, call, inWorld, state, sureButton, tell, when, whileShown, worldURL } from "./server.js";
import { collection, members } from "./panel.js";

let worlds = null;

export function startWorlds() {
  $("world").addEventListener("change", event => showWorld(event.target.value));
  worlds = collection({
    id: "world-list", label: "Worlds", path: "worlds", at: path => path, isCurrent: world => world.id === state.world, row,
    taken: taken => { state.worlds = taken; drawPicker(); },
    columns: [["World"], ["Scenario"], ["Guide"], ["Clock", "mono"], ["Users", "num"], ["Consultations", "num"], ["Goals", "num"], ["Meals", "num"], ["Sockets", "num"], [""]],
  });
  const marks = collection({
    id: "marks", label: "Marks", path: "marks", empty: "A mark keeps the world as it is now, so that you can come back to it.",
    columns: [["Mark"], ["After entry", "num"], ["Time", "mono"], [""]],
    row: (mark, does) => [mark.name, mark.number, clockTime(mark.time), [
      does.button("Rewind", "POST", "rewind", { body: { to: mark.name }, done: `The world is as it was at ${mark.name}.`,
        sure: `World ${state.world} goes back to ${mark.name}: its sockets close, and later marks are dropped.` }),
      does.button("Delete", "DELETE", `marks/${encodeURIComponent(mark.name)}`, { danger: true })]],
  });
  fill($("worlds"), heading("Worlds", "Each world is a backend of its own: users, clock, faults and journal. One that is idle for 30 minutes is forgotten."), worlds.place,
    h("section", { class: "card" }, h("div", { class: "head" }, h("h3", null, "Marks of this world"),
      button("Set a mark", () => marks.change("POST", "marks", {}, "The mark is set."))), marks.place), makeForm());
  whileShown("worlds", "world-event", 1000, () => Promise.all([marks.read(), readWorlds()]));
  when("world-event", readWorlds);
  setInterval(() => { if (!document.hidden) readWorlds(); }, 5000);
}

export const readWorlds = () => (state.runs ? drawPicker() : worlds.read());

function drawPicker() {
  const options = state.runs ? state.runs.map(run => [run.id, run.name ?? run.id]) : state.worlds.slice(0, 500).map(world => [world.id, `${world.id} · ${world.scenario}`]);
  if (!options.some(([id]) => id === state.world)) options.push([state.world, `${state.world} · gone`]);
  if ($("world").dataset.options !== JSON.stringify(options)) fill($("world"), options.map(([id, name]) => h("option", { value: id }, name)));
  $("world").dataset.options = JSON.stringify(options);
  $("world").value = state.world;
  tell("worlds");
}

export function showWorld(id) {
  if (state.world === id) return;
  state.world = id;
  $("world").value = id;
  tell("world");
  tell("address");
}

function row(world, does) {
  const path = `worlds/${encodeURIComponent(world.id)}`;
  const counts = [world.users, world.consultations, world.goals, world.meal_logs, world.web_sockets].map(count => count.toLocaleString("en"));
  return [h("a", { href: `#timeline?world=${encodeURIComponent(world.id)}` }, world.id), world.scenario, world.guide,
    world.clock === "manual" ? `${clockTime(world.now)}, manual` : "real", ...counts, [
      does.button("Reset", "POST", `${path}/reset`, { sure: `World ${world.id} starts over: its sockets close, and its journal is emptied.`,
        done: `World ${world.id} started over.` }),
      does.button("Fork", "POST", `${path}/fork`, { done: "The copy is there." }),
      button("Export", async () => {
        const text = await attempt(() => call("GET", `${path}/state`, undefined, { as: "text" }));
        if (text) download(`${world.id}.json`, text);
      }),
      world.id !== "default" && sureButton("Delete", `World ${world.id} and everything in it goes away.`, async () => {
        await does.change("DELETE", path, undefined, `World ${world.id} is deleted.`);
        if (state.world === world.id) showWorld("default");
      }, { class: "danger" })]];
}

function makeForm() {
  const { seed, guide } = FORMS.world;
  const asked = members({ scenario: { enum: state.scenarios.map(each => each.name) }, seed: { ...seed, example: "1" }, guide,
    clock: { enum: ["manual", "real"], description: "Moved by hand, or the system's" } }, { values: { scenario: "default" }, required: ["scenario", "clock"] });
  const make = async () => {
    const made = await worlds.change("POST", "worlds", { judged: true, ...asked.value() }, "The world is there, and this page shows it.");
    if (made) showWorld(made.id);
  };
  return form("Make a world", "Make it", make, h("div", { class: "fields" }, asked.elements));
}

// MARK: Data

let held = null, kind = "users", shown = 200;

/** Each kind of thing: its columns, where the export has it, its cells, and what the API does to one. */
const KINDS = {
  users: { title: "Users", columns: [["Id"], ["Address"], ["Goals", "num"], ["Consultations", "num"], ["Meals", "num"]], path: () => "users/me",
    cells: one => [shortID(one.id), one.email ?? one.account?.email ?? "", one.goals?.length ?? 0, one.consultations?.length ?? 0, one.meal_logs?.length ?? 0],
    actions: [edit("Profile", "PUT", FORMS.profile), edit("Measures", "PATCH", FORMS.measures, "/physical", ""),
      edit("Preferences", "PATCH", FORMS.preferences, "/preferences"), remove("user and all that is the user's")] },
  consultations: { title: "Consultations", columns: [["Id"], ["User"], ["Persona"], ["About"], ["Title"], ["Status"], ["Messages", "num"]], path: one => `consultations/${one.id}`,
    cells: (one, user) => [shortID(one.id), shortID(user.id), one.persona, one.context ?? "", one.title ?? "", one.status ?? "active", one.messages?.length ?? 0],
    actions: [one => button("Messages", () => showMessages(one)), edit("Edit", "PUT", FORMS.consultation),
      (one, send) => one.status !== "archived" && button("Archive", () => send("POST", "/archive", {}, "The consultation is archived.")), remove("consultation")] },
  goals: { title: "Goals", columns: [["Id"], ["User"], ["Title"], ["Category"], ["Status"], ["Progress", "num"]], path: one => `goals/${one.id}`,
    cells: (one, user) => [shortID(one.id), shortID(user.id), one.title, one.category ?? "", (one.status ?? "").replaceAll("_", " "), `${Math.round((one.progress ?? 0) * 100)} %`],
    actions: [edit("Edit", "PATCH", FORMS.goal), remove("goal")] },
  meal_logs: { title: "Meals", columns: [["Id"], ["User"], ["Meal"], ["What"], ["Status"], ["kcal", "num"]], path: one => `meal-logs/${one.id}`,
    cells: (one, user) => [shortID(one.id), shortID(user.id), one.meal_type ?? "", one.text ?? "", one.status ?? "",
      (one.items ?? []).reduce((sum, item) => sum + (item.calories ?? 0), 0)],
    actions: [edit("Edit", "PUT", FORMS.meal), remove("meal")] },
};

export function startData() {
  whileShown("data", "world-event", 1000, readData);
}

async function readData() {
  held = await act("GET", "state");
  if (held) drawData();
}

function drawData() {
  const users = held.users ?? [];
  const all = key => (key === "users" ? users.map(user => [user, user]) : users.flatMap(user => (user[key] ?? []).map(one => [one, user])));
  const { title, columns, cells, actions, path } = KINDS[kind];
  const items = all(kind);
  fill($("data"), heading("Data", "Everything that the world holds. Changes go through the API as the item's user: they appear in the timeline as a client's, and are judged.",
    button("Refresh", readData)),
  segments("Kind", Object.entries(KINDS).map(([key, each]) => [key, `${each.title} ${all(key).length}`]), kind, value => { kind = value; shown = 200; drawData(); }),
  items.length ? table(title, [...columns, [""]], items.slice(0, shown).map(([one, user]) =>
    [...cells(one, user), actions.map(make => make(one, (method, rest, body, done) => change(user, method, `/api/v1/${path(one)}${rest}`, body, done)))]))
    : h("p", { class: "empty" }, `This world has no ${title.toLowerCase()}.`),
  items.length > shown && button(`Show ${Math.min(500, items.length - shown)} more`, () => { shown += 500; drawData(); }));
}

function showMessages(consultation) {
  openDialog(consultation.title ?? "Messages", h("ul", null, (consultation.messages ?? []).map(message => h("li", null,
    h("p", { class: "dim" }, message.user != null ? "User" : "Coach"), h("p", { dir: "auto" }, message.user ?? message.assistant ?? "")))));
}

/** Sends a request of the world's API as the user, and shows a change. Its answer with the data in it, or nothing if it failed. */
async function change(user, method, path, body, done) {
  const answer = await attempt(async () => {
    const world = await call("GET", inWorld(""));
    const { token } = await call("POST", inWorld("tokens"), { user: user.id });
    const headers = { Authorization: `Bearer ${token}`, "X-API-Key": world.api_key };
    return call(method, "", body, { url: worldURL(path), headers }).catch(error => {
      // A user has no preferences at first.
      if (method === "GET" && error.status === 404) return {};
      throw error;
    });
  }, done);
  if (method !== "GET") readData();
  return answer && { ...answer, ...answer.data };
}

/** Makes a button that opens a form of what can be changed, filled with what the API answers now. */
function edit(label, method, schema, rest = "", from = rest) {
  return (one, send) => button(label, async () => {
    const now = await send("GET", from);
    if (!now) return;
    const form = members(schema.properties, { values: { ...now, ...now.profile }, required: schema.required });
    ask(label, "Save", () => Object.keys(form.value()).length && send(method, rest, form.value(), "It is changed."), form.elements);
  });
}

function remove(what) {
  return (one, send) => sureButton("Delete", `The ${what} goes away.`, () => send("DELETE", "", undefined, "It is deleted."), { class: "danger" });
}
