// Makes elements. Text comes in as text nodes only, so that nothing a client sends is ever read as HTML.

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

export function select(label, options, value, change, attributes) {
  const made = h("select", { "aria-label": label, change: event => change?.(event.target.value), ...attributes },
    options.map(option => {
      const [key, text] = Array.isArray(option) ? option : [option, option];
      return h("option", { value: key }, text);
    }));
  made.value = value;
  return made;
}

export const field = (label, control, { wide, hint } = {}) =>
  h("label", { class: wide ? "field wide" : "field" }, label, control, hint && h("span", { class: "hint" }, hint));

/** A form on a card, with a button that submits it. */
export const form = (title, label, submit, ...children) => h("form", { class: "card", submit: event => {
  event.preventDefault();
  submit();
} }, h("h3", null, title), children, h("button", { class: "main", type: "submit" }, label));

/** Buttons of which one is pressed. */
export function segments(label, options, chosen, choose) {
  return h("div", { class: "tools", role: "group", "aria-label": label }, options.map(([key, text]) =>
    button(text, () => choose(key), { "aria-pressed": String(key === chosen) })));
}

/** A table of rows of cells; a cell that is a list is a group of controls. `isCurrent` says of a row whether it is marked. */
export function table(label, columns, rows, isCurrent = () => false) {
  const cell = (content, index) => Array.isArray(content) ? h("td", null, h("div", { class: "tools" }, content))
    : h("td", { class: columns[index][1] ?? (content?.length > 30 ? "text" : null) }, content);
  return h("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": `${label}, table` }, h("table", null,
    h("thead", null, h("tr", null, columns.map(([name, kind]) =>
      h("th", { scope: "col", class: kind }, name || h("span", { class: "hidden-text" }, "Actions"))))),
    h("tbody", null, rows.map((cells, index) => h("tr", { class: isCurrent(index) && "current" }, cells.map(cell))))));
}

/** The members of an object in words, such as `status: 503`. */
export const inWords = object => Object.entries(object).map(([key, value]) =>
  `${key}: ${value && typeof value === "object" && !Array.isArray(value) ? inWords(value) : [value].flat().join(", ")}`).join("  ");

/** An id as its beginning. */
export const shortID = text => h("span", { class: "mono", title: text }, text?.length > 13 ? `${text.slice(0, 8)}…` : text ?? "");

export function toast(message, { bad, action } = {}) {
  const shown = h("div", { class: bad ? "toast bad" : "toast" }, h("span", null, message), action);
  $("toasts").append(shown);
  while ($("toasts").childElementCount > 4) $("toasts").firstElementChild.remove();
  setTimeout(() => shown.remove(), bad ? 9000 : 4000);
  return null;
}

export const heading = (title, lead, ...tools) => [
  h("div", { class: "head" }, h("h2", null, title), tools), lead && h("p", { class: "lead" }, lead)];

/** Asks in a dialog, and acts when the button with this label is pressed; without a label there is nothing to do. */
export function ask(title, label, act, ...children) {
  const dialog = $("dialog");
  fill(dialog, h("h2", { id: "dialog-title" }, title), h("form", { method: "dialog", submit: () => act?.() }, children,
    h("div", { class: "tools" }, label && h("button", { class: "main", type: "submit" }, label),
      button(label ? "Cancel" : "Close", () => dialog.close()))));
  if (!dialog.open) dialog.showModal();
  return dialog;
}

export const openDialog = (title, ...children) => ask(title, null, null, children);

export async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure context there is no clipboard: the text is shown, to be copied by hand.
    const area = h("textarea", { rows: "12", readonly: true, "aria-label": name, value: text });
    openDialog(`Copy ${name}`, area);
    area.select();
    return;
  }
  toast(`Copied ${name}.`);
}

export function download(fileName, text, type = "application/json") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
