// Forms made from schemas, of which join.py leaves what a form needs (FORMS).
import { field, h, select } from "./dom.js";

let lists = 0;

/** `target_date` or `targetDate` as `Target date`. */
const labelled = key => key[0].toUpperCase() + key.slice(1).replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).replaceAll("_", " ");

/**
 * Controls for the members of an object. `value()` has the members that were entered, and those that are required;
 * of the `values` that the object has already, only what was changed.
 */
export function members(schemas, { values = {}, required = [], changed } = {}) {
  const made = Object.entries(schemas).map(([key, schema]) =>
    [key, member(schema.label ?? labelled(key), schema, { value: values[key], isRequired: required.includes(key), changed })]);
  return {
    elements: made.map(([, each]) => each.element),
    value: () => Object.fromEntries(made.map(([key, each]) => [key, each.value()]).filter(([, value]) => value !== undefined)),
  };
}

function member(label, schema, options) {
  if (schema.properties) return group(label, schema, options);
  const { value, isRequired, changed } = options;
  const choices = schema.enum ?? [], isChoice = choices.length > 0 && !schema.open;
  if (isRequired && isChoice && choices.length === 1) return { element: h("p", { class: "dim" }, schema.description), value: () => choices[0] };
  const control = isChoice ? choice(label, choices, value, isRequired)
    : h(schema.long ? "textarea" : "input", { "aria-label": label, list: choices.length > 0 && `choices-${lists += 1}`,
      required: isRequired, size: schema.long ? null : "18", spellcheck: "false", value: written(value, schema), placeholder: schema.example });
  control.addEventListener("input", () => changed?.());
  // Compared as the control has it: a textarea has LF in place of CRLF.
  const before = control.value;
  return {
    element: field(label, [control, choices.length > 0 && !isChoice && h("datalist", { id: control.getAttribute("list") },
      choices.map(each => h("option", { value: each })))], { hint: schema.description, wide: schema.long }),
    value: () => {
      if (control.value === before && !isRequired) return undefined;
      if (isChoice) return control.value ? JSON.parse(control.value) : null;
      return read(/\r/.test(value) ? control.value.replaceAll("\n", "\r\n") : control.value, schema);
    },
  };
}

function group(label, schema, { value, isRequired, changed }) {
  const inner = members(schema.properties, { values: value, required: isRequired && !schema.whole ? schema.required : [], changed });
  return {
    element: h("fieldset", { class: "fields" }, h("legend", null, label), schema.description && h("p", { class: "dim" }, schema.description), inner.elements),
    value: () => {
      const given = inner.value();
      return Object.keys(given).length ? given : isRequired && schema.whole ? true : undefined;
    },
  };
}

const choice = (label, choices, value, isRequired) => select(label, [...(isRequired ? [] : [["", "—"]]),
  ...choices.map(each => [JSON.stringify(each), String(each).replaceAll("_", " ")])], value == null ? isRequired ? JSON.stringify(choices[0]) : "" : JSON.stringify(value));

const written = (value, { fields }) => value == null ? "" : fields ? value.map(each => `${each.name}: ${each.value}`).join("\n")
  : typeof value === "string" ? value : JSON.stringify(value);

/** What was typed, as the schema has it: a text, fields of a message, or JSON where it is JSON. */
function read(typed, { text, fields }) {
  if (fields) {
    return typed.split("\n").filter(line => line.trim()).map(line => {
      const [name, ...rest] = line.split(":");
      return { name: name.trim(), value: rest.join(":").trim() };
    });
  }
  if (text) return typed;
  try {
    const value = JSON.parse(typed);
    // A number that JavaScript cannot hold stays a text.
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? typed.trim() : value;
  } catch {
    return typed.trim() || null;
  }
}
