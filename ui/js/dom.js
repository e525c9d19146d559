// Makes elements. Text becomes text nodes only, so that the browser never reads a client's text as HTML.

export const $ = id => document.getElementById(id);

/** An element with attributes (functions are listeners, false and null are left out) and children (texts or nodes). */
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === false || value == null) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

const present = children => children.flat(3).filter(child => child != null && child !== false);

export const button = (label, click, attributes) => h("button", { type: "button", click, ...attributes }, label);

/** Options of a list: each is its value, or that with a text. */
export const options = list => list.map(each => h("option", { value: [each].flat()[0] }, [each].flat().at(-1)));

export function select(label, list, value, change) {
  const made = h("select", { "aria-label": label, change: event => change?.(event.target.value) }, options(list));
  made.value = value;
  return made;
}

export const field = (label, control, { wide, hint, key } = {}) =>
  h("label", { class: wide ? "field wide" : "field", "data-key": key }, label, control, hint && h("span", { class: "hint" }, hint));

/** A form on a card, with a button that submits it. */
export const form = (title, label, submit, ...children) => h("form", { class: "card", submit: event => {
  event.preventDefault();
  absolve(event.target);
  submit();
} }, h("h3", null, title), children, h("button", { class: "main", type: "submit" }, label));

/** Buttons of which one is pressed. */
export function segments(label, options, chosen, choose) {
  return h("div", { class: "tools", role: "group", "aria-label": label }, options.map(([key, text]) =>
    button(text, () => choose(key), { "aria-pressed": String(key === chosen) })));
}

/**
 * A table of rows of cells: texts, numbers, elements, and lists of controls. A column is its name, or that with classes;
 * `isCurrent` says of a row whether it is marked.
 */
export function table(label, columns, rows, isCurrent = () => false) {
  const heads = rows[0].map((cell, index) => [columns[index]].flat());
  const kind = (cell, index) => heads[index][1] ?? (typeof cell === "number" ? "num" : cell?.length > 30 ? "text" : null);
  const head = (cell, index) => h("th", { scope: "col", class: kind(cell, index) },
    heads[index][0] ?? h("span", { class: "hidden-text" }, "Actions"));
  const cell = (content, index) => Array.isArray(content) ? h("td", null, h("div", { class: "tools" }, content))
    : h("td", { class: kind(content, index), "data-label": heads[index][0] }, content);
  const acts = rows[0].some(Array.isArray) ? " acts" : "";
  return h("div", { class: `wide-table${acts}`, tabindex: "0", role: "region", "aria-label": `${label}, table` }, h("table", null,
    h("thead", null, h("tr", null, rows[0].map(head))),
    h("tbody", null, rows.map((cells, index) => h("tr", { class: isCurrent(index) && "current" }, cells.map(cell))))));
}

/** A value in words, and the members of an object, such as `status: 503`. */
export const inText = value => Array.isArray(value) ? value.map(inText).join(", ")
  : value && typeof value === "object" ? inWords(value) : String(value ?? "");
const inWords = object => Object.entries(object).map(([key, value]) => `${key}: ${inText(value)}`).join("  ");

/** An id as its beginning. */
export const shortID = text => h("span", { class: "mono", title: text }, text?.length > 13 ? `${text.slice(0, 8)}…` : text ?? "");

/** Shows a message for a while; a failure appears in the dialog, if one is open. */
export function toast(message, { bad, action } = {}) {
  const shown = h("div", { class: bad ? "toast bad" : "toast" }, h("span", null, message), action);
  const place = (bad && [...document.querySelectorAll("dialog output")].at(-1)) || $("toasts");
  place.append(shown);
  while (place.childElementCount > 4) place.firstElementChild.remove();
  setTimeout(() => shown.remove(), bad ? 9000 : 4000);
  return null;
}

/**
 * Shows a refusal at the control of the current form that the message names, if it names one. A control with an empty
 * key shows all refusals.
 */
export function blame(message) {
  const form = document.activeElement?.closest("form, .card");
  absolve(form);
  const named = [...(form?.querySelectorAll("[data-key]") ?? [])].find(each => new RegExp(`\\b${each.dataset.key}\\b`).test(message));
  named?.closest("details")?.setAttribute("open", "");
  named?.append(h("span", { class: "problem refused" }, message));
}

/** Removes the refusals that a form shows. */
export const absolve = form => form?.querySelectorAll(".refused").forEach(each => each.remove());

export const heading = (title, lead, ...tools) => [
  h("div", { class: "head" }, h("h2", null, title), tools), lead && h("p", { class: "lead" }, lead)];

/** Asks in a dialog, which stays with its input until its button's action succeeds; the result is null if it fails. */
export function ask(title, label, act, ...children) {
  const refusals = h("output");
  let isUnderWay = false;
  const submit = async event => {
    event.preventDefault();
    if (isUnderWay) return;
    isUnderWay = true;
    fill(refusals);
    if (await act?.() !== null) dialog.close();
    isUnderWay = false;
  };
  const dialog = h("dialog", { "aria-label": title, close: () => dialog.remove() }, h("h2", null, title),
    h("form", { submit }, children, h("div", { class: "tools" }, label && h("button", { class: "main", type: "submit" }, label),
      button(label ? "Cancel" : "Close", () => dialog.close()))), refusals);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Without a secure context, for example over HTTP from another machine, browsers have no clipboard. */
export const copyText = (text, name) => (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
  () => toast(`Copied ${name}.`), () => toast("The browser does not allow this page to copy text.", { bad: true }));

export function download(fileName, text, type = "application/json") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
