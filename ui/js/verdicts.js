// The obligations that the client has kept and broken so far.
import { $, button, fill, h, heading, segments, toast } from "./dom.js";
import { shortIDs } from "./format.js";
import { act, call, calmly, inWorld, state, tell, when } from "./server.js";
import { choose, chooseNumber, entryLink, timeline } from "./timeline.js";

const KINDS = { broken: ["Broken", "✗", "bad"], warned: ["Broken (should)", "!", "warn"], kept: ["Kept", "✓", "good"], not_exercised: ["Not faced", "·", "dim"] };
const LEAD = "A client's obligations, judged by its traffic. A broken must fails a run; a broken should is a warning.";

let shown = "all";

export function startVerdicts() {
  const read = calmly(1200, readVerdicts);
  // The stream leaves out the evidence of a breach.
  when("verdicts-event", read);
  when("world", () => { Object.assign(state, { verdicts: null, breaches: new Map(), grave: new Set() }); draw(); read(); });
  when("panel", () => { if (state.panel === "verdicts") draw(); });
}

async function readVerdicts() {
  const world = state.world;
  const verdicts = state.runs ? null : await call("GET", inWorld("verdicts?evidence=numbers")).catch(() => null);
  if (verdicts && world === state.world) takeVerdicts(verdicts);
}

/** The numbers of the entries that show a finding; a report has the entries themselves. */
export const numbersOf = finding => finding.entries ?? finding.evidence.map(entry => entry.number);
const numbersOfAll = verdict => [...verdict.findings.flatMap(numbersOf), ...verdict.more_entries];

/** Its kind; a broken should does not fail a run. */
const kindOf = ({ verdict, findings }) =>
  (verdict === "broken" && !findings.some(each => each.level === "must") ? "warned" : verdict);

/** The trouble in a run of a report: whether it fails, and the sign before its name. */
const has = (run, kind) => run.verdicts?.verdicts.some(each => kindOf(each) === kind);
export const isBroken = run => has(run, "broken") || run.troubles?.length > 0;
export const markOf = run => (isBroken(run) ? "✗ " : has(run, "warned") ? "! " : run.verdicts?.has_connected ? "✓ " : "· ");

export function takeVerdicts(verdicts) {
  const before = state.verdicts && new Map(state.verdicts.verdicts.map(each => [each.id, each.finding_count]));
  const breaches = new Map(), grave = new Set();
  for (const verdict of verdicts.verdicts) {
    for (const number of new Set(numbersOfAll(verdict))) breaches.set(number, [...(breaches.get(number) ?? []), verdict.id]);
    for (const each of verdict.findings) if (each.level === "must") numbersOf(each).forEach(number => grave.add(number));
    if (kindOf(verdict) === "broken") verdict.more_entries.forEach(number => grave.add(number));
  }
  const fresh = before ? verdicts.verdicts.filter(each => each.finding_count > before.get(each.id)) : [];
  if (before) flash([...breaches.keys()].filter(number => !state.breaches.has(number)));
  for (const each of fresh.slice(0, 3)) {
    const number = numbersOfAll(each).at(-1);
    const action = number && h("a", { href: entryLink(number) }, `Entry ${number}`);
    const isWarning = kindOf(each) === "warned";
    toast(`The client broke ${each.id}${isWarning ? " (should)" : ""}.`, { bad: !isWarning, action });
  }
  const isOther = JSON.stringify([...breaches]) !== JSON.stringify([...state.breaches]);
  Object.assign(state, { verdicts, breaches, grave });
  if (state.panel === "verdicts") draw(fresh.map(each => each.id));
  if (isOther) tell("breaches");
  tell("counts");
}

/** Makes the rows of entries flash for a moment. */
function flash(numbers) {
  for (const number of numbers) state.fresh.add(number);
  setTimeout(() => {
    for (const number of numbers) state.fresh.delete(number);
    tell("fresh");
  }, 1600);
}

const ofKind = kind => state.verdicts?.verdicts.filter(each => kindOf(each) === kind) ?? [];
export const brokenCount = () => ofKind("broken").length;
export const warnedCount = () => ofKind("warned").length;

/** Shows all obligations; those with these ids flash. Open ones stay open. */
function draw(flashing = []) {
  const panel = $("verdicts"), { verdicts } = state;
  if (!verdicts) return fill(panel, heading("Verdicts", LEAD));
  const open = [...panel.querySelectorAll("details[open]")].map(each => each.dataset.id);
  const focused = panel.contains(document.activeElement) ? document.activeElement : null;
  const score = ([kind, [name, , colour]]) => h("span", { class: kind !== "kept" && ofKind(kind).length > 0 && colour },
    h("b", null, ofKind(kind).length), name.toLowerCase());
  const kinds = Object.keys(KINDS), choices = [["all", "All"], ...kinds.map(kind => [kind, KINDS[kind][0]])];
  const listed = kinds.filter(kind => shown === "all" || shown === kind).flatMap(ofKind);
  fill(panel, heading("Verdicts", LEAD), h("p", { class: "score" }, Object.entries(KINDS).map(score)),
    h("div", { class: "tools" }, segments("Show", choices, shown, value => { shown = value; draw(); }),
      verdicts.missed > 0 && h("span", { class: "dim" }, `Entries lost before they were judged: ${verdicts.missed}`),
      verdicts.unmatched > 0 && h("a", { href: "#timeline?words=unmatched%3Dtrue" }, `Unknown requests: ${verdicts.unmatched}`)),
    verdicts.troubles?.map(each => h("p", { class: "problem" }, each)),
    h("div", { class: "verdicts" }, listed.map(verdict =>
      obligation(verdict, { open: open.includes(verdict.id), class: flashing.includes(verdict.id) && `${kindOf(verdict)} flash` }))),
    coverage(verdicts.coverage, open.includes("coverage")));
  const again = detailsOf(focused?.closest("details")?.dataset.id)?.querySelector("summary")
    ?? [...panel.querySelectorAll("button")].find(each => each.textContent === focused?.textContent);
  again?.focus({ preventScroll: true });
}

/** The situations that the client faced, as a table, and those to face next. */
function coverage({ faced, reachable, next, table }, open) {
  const columns = ["no meal", "meal pending", "meal settled"].flatMap(each => [each, `${each}, after trouble`]);
  const cell = ([faced, reachable]) => h("td", { class: `num ${faced === 0 ? "dim" : faced === reachable ? "good" : ""}` },
    reachable > 0 && `${faced}/${reachable}`);
  const row = ({ socket, token, cells }) => h("tr", null, h("th", { scope: "row" }, `${socket}, ${token}`), cells.map(cell));
  const way = ({ words, way }) => h("li", null, `${words}: `,
    /^[a-z0-9-]+$/.test(way) && !state.runs ? restart(way) : h("code", null, way));
  return h("details", { "data-id": "coverage", class: "coverage card", open },
    h("summary", null, `Faced ${faced} of ${reachable} reachable situations`),
    h("p", { class: "dim" }, "The client's situation: its socket and token, its meals, and the last thing that went wrong."),
    h("div", { class: "wide-table", tabindex: 0, role: "region", "aria-label": "Situations" }, h("table", null,
      h("thead", null, h("tr", null, ["socket, token", ...columns].map(each => h("th", { scope: "col" }, each)))),
      h("tbody", null, table.map(row)))),
    next.length > 0 && h("p", null, "Next:"), h("ul", null, next.map(way)));
}

const restart = scenario => button(scenario, () => act("POST", "reset", { scenario }, `The world starts over with ${scenario}.`));

const detailsOf = id => [...$("verdicts").querySelectorAll("details")].find(each => each.dataset.id === id);

function obligation(verdict, attributes) {
  const { verdict: is, findings, finding_count: found, exercised, tolerance, scenarios, more_entries: more } = verdict;
  const [name, mark, kind] = KINDS[kindOf(verdict)];
  const count = is === "broken" ? `${found}×` : exercised ? `faced ${exercised}×` : "";
  const finding = each => h("div", { class: `finding ${each.level}` }, h("p", null, prose(each.message)),
    h("div", { class: "evidence" }, numbersOf(each).map(evidence)));
  return h("details", { "data-id": verdict.id, ...attributes },
    h("summary", null,
      h("span", { class: `mark ${kind}` }, h("span", { "aria-hidden": "true" }, mark), h("span", { class: "hidden-text" }, name)),
      h("span", { class: "id" }, verdict.id), h("span", { class: "dim level" }, verdict.level),
      h("span", { class: "clause" }, prose(verdict.clause)), h("span", { class: `num ${kind}` }, count)),
    h("div", { class: "why" }, findings.map(finding),
      found > findings.length && h("div", { class: "finding evidence" }, `${found - findings.length} more`, more.map(evidence)),
      h("p", null, prose(verdict.advice)),
      h("p", { class: "dim" }, `Source: ${verdict.origin}.`, tolerance && ` Tolerated: ${tolerance}`),
      !state.runs && scenarios?.length > 0 && h("div", { class: "tools" }, "Restart the world with a scenario that exercises it: ", scenarios.map(restart))));
}

/** Text in which backquotes mark code. */
const prose = text => text.split("`").map((part, index) => (index % 2 ? h("code", null, part) : part));

function evidence(number) {
  const row = timeline.rows.byNumber.get(number);
  return h("a", { class: "mono", href: entryLink(number) }, row ? `${number} ${row.verb} ${shortIDs(row.type)}` : number);
}

/** Opens the obligation that a link names. */
export function openVerdict(id) {
  shown = "all";
  draw();
  const element = detailsOf(id);
  if (!element) return;
  element.open = true;
  element.scrollIntoView({ block: "center" });
  element.querySelector("summary").focus();
}

/** Goes to the next breach after the chosen entry. */
export function nextBreach() {
  const numbers = [...state.breaches.keys()].sort((a, b) => a - b);
  const number = numbers.find(each => each > (timeline.chosen?.number ?? 0)) ?? numbers[0];
  if (number == null) return toast("The client has broken no obligations so far.");
  if (!chooseNumber(number)) choose(null);
}
