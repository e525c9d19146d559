// What panels have in common: tables of what the world answers at a path, with actions for each row.
import { button, fill, h, table } from "./dom.js";
import { act, sureButton } from "./api.js";

/**
 * A table of the list that a path of the world answers. `row` makes the cells of an item with `does`, which makes the
 * buttons of its actions; after each of them the list is read again. `taken` gets each answer.
 */
export function collection({ id, label, path, key = path, columns, row, empty, taken }) {
  const place = h("div", { id });
  let shown = null;
  const read = async () => {
    const answer = await act("GET", path);
    if (!answer) return;
    taken?.(answer[key]);
    const text = JSON.stringify(answer[key]);
    if (text === shown) return;
    shown = text;
    fill(place, answer[key].length ? table(label, columns, answer[key].map(item => row(item, does))) : h("p", { class: "dim" }, empty));
  };
  const change = (method, rest, body, done) => act(method, rest, body, done).then(result => read().then(() => result));
  const does = {
    change,
    button: (name, method, rest, { body = method === "POST" ? {} : undefined, done, title, sure, danger } = {}) => {
      const action = () => change(method, rest, body, done);
      const attributes = { title, class: danger && "danger" };
      return sure ? sureButton(name, sure, action, attributes) : button(name, action, attributes);
    },
    /** A switch for whether the item is enabled. */
    toggle: item => h("input", { type: "checkbox", class: "switch", role: "switch", checked: item.enabled, "aria-label": `${item.name} is in force`,
      change: event => { shown = null; change("PATCH", `${path}/${encodeURIComponent(item.name)}`, { enabled: event.target.checked }); } }),
    remove: item => does.button("Remove", "DELETE", `${path}/${encodeURIComponent(item.name)}`, { danger: true }),
  };
  return { place, read, change };
}
