// Faults: switches, counts, and a form.
import { $, fill, form, h, heading, inWords, select, field } from "./dom.js";
import { members } from "./form.js";
import { collection } from "./panel.js";
import { whileShown } from "./state.js";

const { on: where, name, enabled, requests, connections, at, ...actions } = FORMS.fault;
const fitting = (schemas, place) => Object.fromEntries(Object.entries(schemas).filter(([, { places }]) => !places.length || places.includes(place)));

export function startFaults() {
  const list = collection({
    id: "fault-list", label: "Faults", path: "faults", empty: "This world has no faults.",
    columns: [["On"], ["Name"], ["Where", "mono text"], ["What", "mono text"], ["Matched", "num"], ["Acted", "num"], [""]],
    row: ({ name: id, enabled: isOn, on, matches, acted, ...rest }, does) => [does.toggle({ name: id, enabled: isOn }), id, [on].flat().join(", "),
      inWords(rest), matches, acted, [does.remove({ name: id })]],
  });
  fill($("faults"), heading("Faults", "What goes wrong on purpose. All that match act, in this order, from the next request, handshake or frame on."),
    list.place, makeForm(list));
  whileShown("faults", "entries", 1500, list.read);
}

function makeForm(list) {
  const more = h("div", { class: "fields" }), inputs = h("div", { class: "fields" }), preview = h("pre", { class: "code" });
  const what = h("select", { "aria-label": "What happens", change: () => draw() });
  const place = members({ on: { ...where, label: "Where", description: "any, an endpoint, handshake or socket; or a JSON list of endpoints" } },
    { values: {}, required: ["on"], changed: () => draw() });
  const target = place.elements[0].querySelector("input");
  target.value = "any";
  let drawn = "", value = () => ({});
  const show = () => { preview.textContent = JSON.stringify(fault(), null, 2); };
  const fault = () => ({ ...place.value(), ...value() });
  function draw() {
    const at = target.value.match(/^(handshake|socket)/)?.[0] ?? "rest";
    const possible = Object.keys(fitting(actions, at)).filter(key => !actions[key].extra.length || key === "content_type");
    const action = possible.includes(what.value) ? what.value : possible[0];
    if (drawn !== `${at} ${action}`) {
      drawn = `${at} ${action}`;
      fill(what, possible.map(key => h("option", { value: key }, key.replaceAll("_", " "))));
      what.value = action;
      const extras = Object.fromEntries(Object.entries(fitting(actions, at)).filter(([, { extra }]) => extra.includes(action)));
      const main = members({ [action]: actions[action], ...extras }, { required: [action], changed: show });
      const rest = members({ name: { ...name, example: "fault-1" }, enabled, ...(at === "rest" ? { requests } : { connections }), ...(at === "socket" && { at: FORMS.fault.at }) },
        { changed: show });
      fill(inputs, main.elements);
      fill(more, rest.elements);
      value = () => ({ ...rest.value(), ...main.value() });
    }
    show();
  }
  draw();
  return form("Add a fault", () => list.change("POST", "faults", fault(), "The fault is in force."),
    h("div", { class: "fields" }, place.elements, field("What happens", what)), inputs, more, preview, h("button", { class: "main", type: "submit" }, "Add"));
}
