// What the world holds, as tables. Changes go through the API, as the user who owns the thing.
import { $, ask, button, field, fill, h, heading, openDialog, segments, select, shortID, table } from "./dom.js";
import { counted } from "./format.js";
import { act, attempt, call, inWorld, sureButton, worldURL } from "./api.js";
import { whileShown } from "./state.js";

const LARGE = 20_000;
let held = null, tab = "users", shown = 200;

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

const TABS = {
  users: ["Users", [["Id"], ["Address"], ["Goals", "num"], ["Consultations", "num"], ["Meals", "num"]], users => users.map(user => [
    shortID(user.id), user.email ?? user.account?.email ?? "", (user.goals ?? []).length, (user.consultations ?? []).length, (user.meals ?? user.meal_logs ?? []).length])],
  consultations: ["Consultations", [["Id"], ["User"], ["Persona"], ["About"], ["Title"], ["Status"], ["Messages", "num"], [""]], users => each(users, "consultations",
    (user, one) => [shortID(one.id), shortID(user.id), one.persona, one.context ?? "", one.title ?? "", one.status ?? "active", (one.messages ?? []).length,
      [button("Messages", () => showMessages(one)), one.status !== "archived" && sureButton("Archive", "The consultation is archived, as its user would.",
        () => change(user, "POST", `/api/v1/consultations/${one.id}/archive`, {}, "The consultation is archived."))]])],
  goals: ["Goals", [["Id"], ["User"], ["Title"], ["Category"], ["Status"], ["Progress", "num"], [""]], users => each(users, "goals",
    (user, one) => [shortID(one.id), shortID(user.id), one.title, one.category ?? "", (one.status ?? "").replaceAll("_", " "), `${Math.round((one.progress ?? 0) * 100)} %`,
      [button("Edit", () => editGoal(user, one))]])],
  meals: ["Meals", [["Id"], ["User"], ["Meal"], ["What"], ["Status"], ["kcal", "num"]], users => [...each(users, "meals", mealRow), ...each(users, "meal_logs", mealRow)]],
};

const mealRow = (user, one) => [shortID(one.id), shortID(user.id), one.meal_type ?? "", one.raw_input ?? one.input ?? "", one.status ?? "",
  one.total_calories ?? sum(one.items) ?? ""];
const sum = items => items?.reduce((total, item) => total + (item.calories ?? item.food?.calories ?? 0), 0);
const each = (users, key, make) => users.flatMap(user => (user[key] ?? []).map(one => make(user, one)));

function draw() {
  const users = held.users ?? [];
  const [name, columns, rows] = TABS[tab];
  const all = rows(users);
  const counts = Object.entries(TABS).map(([key, [title, , make]]) => [key, `${title} ${make(users).length}`]);
  fill($("data"), heading("Data", "Everything that the world holds. Changes go through the API as the item's user, so they appear in the timeline.",
    button("Refresh", () => read())),
  segments("Kind", counts, tab, value => { tab = value; shown = 200; draw(); }),
  all.length ? table(name, columns, all.slice(0, shown))
    : h("p", { class: "empty" }, `This world has no ${name.toLowerCase()}.`),
  all.length > shown && button(`Show ${Math.min(500, all.length - shown)} more`, () => { shown += 500; draw(); }));
}

function showMessages(consultation) {
  openDialog(consultation.title ?? "Messages", h("ul", null, (consultation.messages ?? []).map(message => h("li", null,
    h("p", { class: "dim" }, message.user != null ? "User" : "Coach"), h("p", { dir: "auto" }, message.user ?? message.assistant ?? "")))));
}

/** Sends a request of the world's API as the user. */
async function change(user, method, path, body, done) {
  await attempt(async () => {
    const world = await call("GET", inWorld(""));
    const { token } = await call("POST", inWorld("tokens"), { user: user.id });
    await call(method, "", body, { url: worldURL(path), headers: { Authorization: `Bearer ${token}`, "X-API-Key": world.api_key } });
  }, done);
  read();
}

function editGoal(user, goal) {
  const title = h("input", { value: goal.title, required: true });
  const status = select("Status", [["not_started", "Not started"], ["in_progress", "In progress"], ["completed", "Completed"], ["paused", "Paused"], ["archived", "Archived"]], goal.status);
  const progress = h("input", { type: "number", min: "0", max: "1", step: "0.01", value: String(goal.progress ?? 0) });
  ask("Edit goal", "Save", () => {
    const changed = { ...(title.value !== goal.title && { title: title.value }), ...(status.value !== goal.status && { status: status.value }),
      ...(Number(progress.value) !== (goal.progress ?? 0) && { progress: Number(progress.value) }) };
    if (Object.keys(changed).length) change(user, "PATCH", `/api/v1/goals/${goal.id}`, changed, "The goal is changed.");
  }, field("Title", title, { wide: true }), field("Status", status), field("Progress, 0 to 1", progress));
}
