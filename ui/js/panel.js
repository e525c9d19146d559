// The common parts of panels: forms made from schemas, which join.py reduces to what a form needs (FORMS), and tables
// of the server's answer at a path, with actions for each row.
import { button, field, fill, form, h, options, select, table } from "./dom.js";
import { labelled, parsed } from "./format.js";
import { attempt, call, inWorld, sureButton } from "./server.js";

let lists = 0;

/**
 * Controls for the members of an object. `value()` has the members that were entered, and those that are required;
 * of the `values` that the object has already, only what was changed.
 */
export function members(schemas, { values = {}, required = [], changed } = {}) {
  const made = Object.entries(schemas).map(([key, schema]) =>
    [key, member(schema.label ?? labelled(key), schema, { key, value: values[key], isRequired: required.includes(key), changed })]);
  return {
    elements: made.map(([, each]) => each.element),
    value: () => Object.fromEntries(made.map(([key, each]) => [key, each.value()]).filter(([, value]) => value !== undefined)),
  };
}

function member(label, schema, settings) {
  if (schema.properties) return group(label, schema, settings);
  const { key, value, isRequired, changed } = settings;
  const choices = schema.enum ?? [], isChoice = choices.length > 0 && !schema.open;
  if (isRequired && isChoice && choices.length === 1) {
    return { element: h("p", { class: "dim" }, schema.description), value: () => choices[0] };
  }
  const control = isChoice ? choice(label, choices, value, isRequired)
    : h(schema.long ? "textarea" : "input", { "aria-label": label, list: choices.length > 0 && `choices-${lists += 1}`,
      required: isRequired, size: schema.long ? null : "18", spellcheck: "false", value: written(value, schema),
      placeholder: schema.example });
  control.addEventListener("input", () => changed?.());
  // Compared in the control's form, because a textarea replaces CRLF with LF.
  const before = control.value;
  return {
    element: field(label, [control, choices.length > 0 && !isChoice && h("datalist", { id: control.getAttribute("list") },
      options(choices))], { hint: schema.description, wide: schema.long, key }),
    value: () => {
      if (control.value === before && !(isRequired && before)) return undefined;
      if (isChoice) return control.value ? JSON.parse(control.value) : null;
      return read(/\r/.test(value) ? control.value.replaceAll("\n", "\r\n") : control.value, schema);
    },
  };
}

function group(label, schema, { value, isRequired, changed }) {
  const required = isRequired && !schema.whole ? schema.required : [];
  const inner = members(schema.properties, { values: value, required, changed });
  return {
    element: h("fieldset", { class: "fields" }, h("legend", null, label),
      schema.description && h("p", { class: "dim" }, schema.description), inner.elements),
    value: () => {
      const given = inner.value();
      return Object.keys(given).length ? given : isRequired && schema.whole ? true : undefined;
    },
  };
}

function choice(label, choices, value, isRequired) {
  const list = choices.map(each => [JSON.stringify(each), String(each).replaceAll("_", " ")]);
  if (!isRequired) list.unshift(["", "—"]);
  return select(label, list, value == null ? list[0][0] : JSON.stringify(value));
}

const written = (value, { fields }) => value == null ? "" : fields ? value.map(each => `${each.name}: ${each.value}`).join("\n")
  : typeof value === "string" ? value : JSON.stringify(value);

/** The input in the schema's form: a text, fields of a message, or JSON if it is JSON. */
function read(typed, { text, nullable, fields }) {
  if (fields) {
    return typed.split("\n").filter(line => line.trim()).map(line => {
      const [name, ...rest] = line.split(":");
      return { name: name.trim(), value: rest.join(":").trim() };
    });
  }
  if (text) return nullable && typed.trim() === "null" ? null : typed;
  const value = parsed(typed);
  // A number that JavaScript cannot hold stays a text.
  return value === undefined || (Number.isInteger(value) && !Number.isSafeInteger(value)) ? typed.trim() || null : value;
}

/**
 * A form whose members depend on what is chosen in it. `parts` says which, by what was chosen: `often` and `seldom` are
 * their schemas, `made` makes the body of their values. It is shown before it is sent.
 */
export function choiceForm({ title, label, choosers, parts, send }) {
  const often = h("div", { class: "fields" }), seldom = h("div", { class: "fields" }), preview = h("pre", { class: "code" });
  let drawn = "", value = null, first = null, others = null;
  const show = () => { preview.textContent = JSON.stringify(value(), null, 2); };
  const draw = () => {
    const wanted = parts(), { required, made } = wanted, schemas = JSON.stringify([wanted.often, wanted.seldom]);
    if (schemas !== drawn) {
      first = members(wanted.often, { required, changed: show });
      others = members(wanted.seldom, { changed: show });
      fill(often, first.elements);
      fill(seldom, others.elements);
    }
    drawn = schemas;
    value = () => made({ ...others.value(), ...first.value() });
    show();
  };
  const chosen = h("div", { class: "fields", input: draw }, choosers);
  draw();
  const submit = async () => {
    if (!await send(value())) return;
    drawn = "";
    draw();
  };
  return form(title, label, submit, chosen, often, h("details", null, h("summary", null, "More"), seldom), preview);
}

// MARK: Tables

/**
 * A table of the list that a path answers, of the world unless `at` says otherwise. `row` makes the cells of an item
 * with `does`, which makes the buttons of its actions; after each of them the list is read again. `taken` gets each answer.
 */
export function collection({ id, label, path, at = inWorld, columns, row, empty, taken, isCurrent }) {
  const place = h("div", { id });
  let shown = null, latest = [], waiting = 0;
  const draw = () => {
    const items = latest, text = JSON.stringify(items.map(item => [item, isCurrent?.(item)]));
    if (text === shown) return;
    // A button that is replaced while it is pressed gets no click.
    if (place.matches(":active")) {
      waiting ||= setTimeout(() => { waiting = 0; draw(); }, 100);
      return;
    }
    shown = text;
    const rows = items.slice(0, 500).map(item => row(item, does));
    fill(place, rows.length ? table(label, columns, rows, index => isCurrent?.(items[index])) : h("p", { class: "dim" }, empty));
  };
  const read = async () => {
    const asked = at(path), answer = await call("GET", asked).catch(() => null);
    if (!answer || asked !== at(path)) return;
    latest = answer[path];
    taken?.(latest);
    draw();
  };
  const change = async (method, rest, body, done) => {
    const result = await attempt(() => call(method, at(rest), body), done);
    await read();
    return result;
  };
  const named = item => `${path}/${encodeURIComponent(item.name)}`;
  const does = {
    change,
    /** A button that sends a request; `sure` is asked before. */
    button: (name, method, rest, { body = method === "POST" ? {} : undefined, done, title, sure, danger } = {}) => {
      const action = () => change(method, rest, body, done);
      const attributes = { title, class: danger && "danger" };
      return sure ? sureButton(name, sure, action, attributes) : button(name, action, attributes);
    },
    /** A switch for whether the item is enabled. */
    toggle: item => {
      const change = event => { shown = null; does.change("PATCH", named(item), { enabled: event.target.checked }); };
      return h("input", { type: "checkbox", class: "switch", role: "switch", checked: item.enabled, change,
        "aria-label": `${item.name} is active` });
    },
    remove: item => does.button("Remove", "DELETE", named(item), { danger: true }),
  };
  return { place, read, change };
}
