// What the world holds, as tables. Changes go through the API, as the user who owns the thing.
import { $, ask, button, fill, h, heading, openDialog, segments, shortID, table } from "./dom.js";
import { counted } from "./format.js";
import { act, attempt, call, inWorld, sureButton, worldURL } from "./api.js";
import { members } from "./form.js";
import { whileShown } from "./state.js";

const LARGE = 20_000;
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
  whileShown("data", "world-event", 1000, read);
}

async function read({ anyway = false } = {}) {
  const world = await act("GET", "");
  const size = world ? world.users + world.consultations + world.goals + world.meal_logs : 0;
  if (size > LARGE && !anyway) {
    return fill($("data"), heading("Data", `This world holds ${counted(size, "item")}; reading them stops it for a moment.`),
      button("Read them", () => read({ anyway: true })));
  }
  held = await act("GET", "state");
  if (held) draw();
}

function draw() {
  const users = held.users ?? [];
  const all = key => (key === "users" ? users.map(user => [user, user]) : users.flatMap(user => (user[key] ?? []).map(one => [one, user])));
  const { title, columns, cells, actions, path } = KINDS[kind];
  const items = all(kind);
  fill($("data"), heading("Data", "Everything that the world holds. Changes go through the API as the item's user: they appear in the timeline as a client's, and are judged.",
    button("Refresh", () => read())),
  segments("Kind", Object.entries(KINDS).map(([key, each]) => [key, `${each.title} ${all(key).length}`]), kind, value => { kind = value; shown = 200; draw(); }),
  items.length ? table(title, [...columns, [""]], items.slice(0, shown).map(([one, user]) =>
    [...cells(one, user), actions.map(make => make(one, (method, rest, body, done) => change(user, method, `/api/v1/${path(one)}${rest}`, body, done)))]))
    : h("p", { class: "empty" }, `This world has no ${title.toLowerCase()}.`),
  items.length > shown && button(`Show ${Math.min(500, items.length - shown)} more`, () => { shown += 500; draw(); }));
}

function showMessages(consultation) {
  openDialog(consultation.title ?? "Messages", h("ul", null, (consultation.messages ?? []).map(message => h("li", null,
    h("p", { class: "dim" }, message.user != null ? "User" : "Coach"), h("p", { dir: "auto" }, message.user ?? message.assistant ?? "")))));
}

/** Sends a request of the world's API as the user, and shows a change. Its answer's data, or nothing if it failed. */
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
  if (method !== "GET") read();
  return answer?.data ?? answer;
}

/** Makes a button that opens a form of what can be changed, filled with what the API answers now. */
function edit(label, method, schema, rest = "", from = rest) {
  return (one, send) => button(label, async () => {
    const now = await send("GET", from);
    if (!now) return;
    const form = members(schema.properties, { values: now.profile ?? now, required: schema.required });
    ask(label, "Save", () => Object.keys(form.value()).length && send(method, rest, form.value(), "It is changed."), form.elements);
  });
}

function remove(what) {
  return (one, send) => sureButton("Delete", `The ${what} goes away.`, () => send("DELETE", "", undefined, "It is deleted."), { class: "danger" });
}
