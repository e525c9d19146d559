// The worlds of the server, their actions, and the contents of the shown one.
import { $, ask, button, copyText, download, field, fill, form, h, heading, options, segments, select, shortID, table } from "./dom.js";
import { clockTime, labelled } from "./format.js";
import { act, attempt, call, inWorld, state, sureButton, tell, when, whileShown, worldURL } from "./server.js";
import { collection, members } from "./panel.js";
import { markOf } from "./verdicts.js";

let worlds = null;

/** What a client needs to reach a world: members of its description, and their names. */
const ACCESS = [["url", "URL"], ["ws_url", "WebSocket URL"], ["api_key", "API key"], ["token", "Token"]];

export function startWorlds() {
  $("world").addEventListener("change", event => showWorld(event.target.value));
  worlds = collection({
    id: "world-list", label: "Worlds", path: "worlds", at: path => path, isCurrent: world => world.id === state.world, row,
    taken: taken => { state.worlds = taken; drawPicker(); },
    columns: ["World", "Scenario", "Guide", ["Clock", "mono"], "Users", "Consultations", "Goals", "Meals", "Sockets"],
  });
  const marks = collection({
    id: "marks", label: "Marks", path: "marks", empty: "A mark saves the world's current state, so you can return to it.",
    columns: ["Mark", "After entry", ["Time", "mono"]],
    row: ({ name, number, time }, does) => [name, number, clockTime(time), [
      does.button("Rewind", "POST", "rewind", { body: { to: name }, done: `The world returned to ${name}.`,
        sure: `World ${state.world} returns to ${name}: its sockets close, and later marks are deleted.` }),
      does.button("Delete", "DELETE", `marks/${encodeURIComponent(name)}`, { danger: true })]],
  });
  const lead = "Each world is a separate backend with its own users, clock, faults and journal. An idle world is deleted after 30 minutes.";
  const mark = button("Set a mark", () => marks.change("POST", "marks", {}, "The mark is set."));
  const access = h("section", { class: "card", id: "access" });
  const showAccess = async () => {
    const asked = inWorld(""), world = await call("GET", asked).catch(() => null);
    if (!world || asked !== inWorld("") || access.dataset.shown === JSON.stringify(ACCESS.map(([key]) => world[key]))) return;
    access.dataset.shown = JSON.stringify(ACCESS.map(([key]) => world[key]));
    fill(access, h("h3", null, `How a client reaches ${world.id}`), h("dl", { class: "access" }, ACCESS.filter(([key]) => world[key]).map(([key, name]) =>
      [h("dt", null, name), h("dd", null, button("Copy", () => copyText(world[key], `the ${name}`), { "aria-label": `Copy the ${name}` }), " ", h("code", null, world[key]))])));
  };
  fill($("worlds"), heading("Worlds", lead), worlds.place, access, h("section", { class: "card" },
    h("div", { class: "head" }, h("h3", null, "This world's marks"), mark), marks.place), makeForm());
  whileShown("worlds", "world-event", 1000, () => Promise.all([marks.read(), readWorlds(), showAccess()]));
  when("world-event", readWorlds);
  setInterval(() => { if (!document.hidden) readWorlds(); }, 5000);
}

export const readWorlds = () => (state.runs ? drawPicker() : worlds.read());

function drawPicker() {
  const list = state.runs ? state.runs.map(run => [run.id, `${markOf(run)}${run.name ?? run.id}`])
    : state.worlds.slice(0, 500).map(world => [world.id, `${world.id} · ${world.scenario}`]);
  if (!list.some(([id]) => id === state.world)) list.push([state.world, `${state.world} · gone`]);
  if ($("world").dataset.options !== JSON.stringify(list)) fill($("world"), options(list));
  $("world").dataset.options = JSON.stringify(list);
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
  const { id, users, consultations, goals, meal_logs: meals, web_sockets: sockets } = world;
  const path = `worlds/${encodeURIComponent(id)}`;
  const remove = async () => {
    const done = await does.change("DELETE", path, undefined, `World ${id} is deleted.`);
    if (done && state.world === id) showWorld("default");
    return done;
  };
  return [h("a", { href: `#timeline?world=${encodeURIComponent(id)}` }, id), world.scenario, world.guide,
    world.clock === "manual" ? `${clockTime(world.now)}, manual` : "real", users, consultations, goals, meals, sockets, [
      button("Reset", () => {
        const scenario = select("Scenario", [["", "The original scenario"], ...state.scenarios.map(each => each.name)], "");
        const reset = () => does.change("POST", `${path}/reset`, scenario.value ? { scenario: scenario.value } : {}, `World ${id} started over.`);
        ask("Reset", "Reset", reset, h("p", null, `World ${id} starts over: its sockets close, and its journal is emptied.`), field("Scenario", scenario));
      }),
      button("Fork", async () => {
        const made = await does.change("POST", `${path}/fork`, {}, "This page now shows the copy.");
        if (made) showWorld(made.id);
      }),
      button("Export", async () => {
        const text = await attempt(() => call("GET", `${path}/state`, undefined, { as: "text" }));
        if (text) download(`${id}.json`, text);
      }),
      id !== "default" && sureButton("Delete", `World ${id} and everything in it will be deleted.`, remove, { class: "danger" })]];
}

function makeForm() {
  const { seed, guide } = FORMS.world, scenario = { enum: state.scenarios.map(each => each.name) };
  const clock = { enum: ["manual", "real"], description: "Manual, or the system clock" };
  const asked = members({ scenario, seed: { ...seed, example: "1" }, guide, clock },
    { values: { scenario: "default" }, required: ["scenario", "clock"] });
  const make = async () => {
    const body = { judged: true, ...asked.value() };
    const made = await worlds.change("POST", "worlds", body, "This page now shows the new world.");
    if (made) showWorld(made.id);
  };
  return form("Create a world", "Create it", make, h("div", { class: "fields" }, asked.elements));
}

// MARK: Data

let held = null, kind = "users";

/** By where the export has it: where the API has it, its columns after the ids, their cells, and what the API does to it. */
const KINDS = {
  users: { title: "Users", path: () => "users/me", columns: ["Address", "Goals", "Consultations", "Meals"],
    cells: ({ email, account, goals = [], consultations: chats = [], meal_logs: meals = [] }) =>
      [email ?? account?.email, goals.length, chats.length, meals.length],
    actions: [edit("Profile", "PUT", FORMS.profile), edit("Measures", "PATCH", FORMS.measures, "/physical", ""),
      edit("Preferences", "PATCH", FORMS.preferences, "/preferences"), remove("user and all the user's data")] },
  consultations: { title: "Consultations", path: one => `consultations/${one.id}`,
    columns: ["Persona", "About", "Title", "Status", "Messages"],
    cells: one => [one.persona, one.context, one.title, one.status ?? "active", one.messages?.length ?? 0],
    actions: [messages, edit("Edit", "PUT", FORMS.consultation), archive, remove("consultation")] },
  goals: { title: "Goals", path: one => `goals/${one.id}`, columns: ["Title", "Category", "Status", ["Progress", "num"]],
    cells: one => [one.title, one.category, one.status?.replaceAll("_", " "), `${Math.round((one.progress ?? 0) * 100)} %`],
    actions: [edit("Edit", "PATCH", FORMS.goal), remove("goal")] },
  meal_logs: { title: "Meals", path: one => `meal-logs/${one.id}`, columns: ["Meal", "What", "Status", "kcal"],
    cells: one => [one.meal_type, one.text, [one.status, one.error, one.details].filter(Boolean).join(": "), (one.items ?? []).reduce((sum, item) => sum + (item.calories ?? 0), 0)],
    actions: [edit("Edit", "PUT", FORMS.meal), remove("meal")] },
};

for (const [key, { title, path, item, columns, schema, goes }] of Object.entries(FORMS.collections)) {
  KINDS[key] = { title, path: one => `${path}/${one.id}`, columns: columns.map(labelled),
    cells: one => columns.map(column => one[column]),
    actions: [schema && editDocument(schema), goes && remove(item)] };
}

export const startData = () => whileShown("data", "world-event", 1000, readData);

async function readData() {
  held = await act("GET", "state");
  if (held) drawData();
}

function drawData() {
  const ofUser = (key, user) => (key === "users" ? [user] : user[key] ?? user.documents?.[key] ?? []).map(one => [one, user]);
  const all = key => (held.users ?? []).flatMap(user => ofUser(key, user));
  const { title, columns, cells, actions, path } = KINDS[kind], items = all(kind);
  const row = ([one, user]) => {
    const send = (method, rest, body, done) => change(user, method, `/api/v1/${path(one)}${rest}`, body, done);
    return [shortID(one.id), shortID(user.id), ...cells(one), actions.map(make => make && make(one, send))];
  };
  const lead = "All data in this world. Changes are API requests from the item's owner, and are judged like a client's requests.";
  const kinds = Object.entries(KINDS).map(([key, each]) => [key, `${each.title} ${all(key).length}`]);
  fill($("data"), heading("Data", lead, button("Refresh", readData)),
    segments("Kind", kinds, kind, value => { kind = value; drawData(); }),
    items.length ? table(title, ["Id", "User", ...columns], items.slice(0, 500).map(row))
      : h("p", { class: "empty" }, `This world has no ${title.toLowerCase()}.`));
}

/** Sends a request of the world's API as the user, and shows a change. Its answer with the data in it; nothing if it failed. */
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
    const save = () => Object.keys(form.value()).length && send(method, rest, form.value(), "Changed.");
    ask(label, "Save", save, form.elements);
  });
}

/** Makes a button that opens a form of an object whose members the API replaces all at once. */
function editDocument(schema) {
  return (one, send) => button("Edit", () => {
    const form = members(schema.properties, { values: one, required: schema.required });
    const save = () => Object.keys(form.value()).length && send("PUT", "", { ...one, ...form.value() }, "Changed.");
    ask("Edit", "Save", save, form.elements);
  });
}

/** The messages of a consultation. */
function messages(one) {
  const line = message => Object.entries(message).slice(0, 1).map(([role, text]) => [h("dt", null, role), h("dd", null, text)]);
  return one.messages?.length > 0 && button("Messages", () => ask(`Messages: ${one.title ?? one.persona}`, null, null,
    h("dl", null, one.messages.map(line))));
}

function archive(one, send) {
  return one.status !== "archived" && button("Archive", () => send("POST", "/archive", {}, "The consultation is archived."));
}

function remove(what) {
  return (one, send) =>
    sureButton("Delete", `The ${what} will be deleted.`, () => send("DELETE", "", undefined, "Deleted."), { class: "danger" });
}
