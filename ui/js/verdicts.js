// What the client kept and broke so far.
import { $, button, fill, h, heading, segments, toast } from "./dom.js";
import { counted, shortIDs } from "./format.js";
import { attempt, call, inWorld } from "./api.js";
import { calmly, state, tell, when } from "./state.js";
import { choose, chooseNumber, entryLink, timeline } from "./timeline.js";

const NAMES = { broken: "Broken", kept: "Kept", not_exercised: "Not faced" };
const MARKS = { broken: ["✗", "bad"], kept: ["✓", "good"], not_exercised: ["·", "dim"] };

let shown = "all", isFirst = true;
const drawn = new Map();

export function startVerdicts() {
  const read = calmly(1200, readVerdicts);
  // The stream leaves out the evidence of a breach.
  when("verdicts-event", read);
  when("world", () => { isFirst = true; drawn.clear(); state.verdicts = null; state.breaches = new Map(); draw(); read(); });
  when("panel", () => { if (state.panel === "verdicts") draw(); });
}

async function readVerdicts() {
  if (state.runs) return;
  const world = state.world;
  const verdicts = await call("GET", inWorld("verdicts?evidence=numbers")).catch(() => null);
  if (verdicts && world === state.world) takeVerdicts(verdicts);
}

/** The numbers of the entries that show a finding; a report has the entries themselves. */
export const numbersOf = finding => finding.entries ?? finding.evidence.map(entry => entry.number);

export function takeVerdicts(verdicts) {
  const before = new Map((state.verdicts?.verdicts ?? []).map(each => [each.id, each.finding_count]));
  state.verdicts = verdicts;
  const breaches = new Map();
  for (const { id, findings } of verdicts.verdicts) {
    for (const number of findings.flatMap(numbersOf)) breaches.set(number, [...new Set([...(breaches.get(number) ?? []), id])]);
  }
  const added = [...breaches.keys()].filter(number => !state.breaches.has(number));
  const isOther = JSON.stringify([...breaches]) !== JSON.stringify([...state.breaches]);
  state.breaches = breaches;
  if (!isFirst) flash(added);
  const fresh = isFirst ? [] : verdicts.verdicts.filter(each => each.finding_count > (before.get(each.id) ?? 0));
  isFirst = false;
  for (const each of fresh.slice(0, 3)) announce(each);
  if (state.panel === "verdicts") draw(new Set(fresh.map(each => each.id)));
  if (isOther) tell("breaches");
  tell("counts");
}

/** Lets the rows of entries flash, which stops by itself. */
function flash(numbers) {
  for (const number of numbers) state.fresh.add(number);
  setTimeout(() => {
    for (const number of numbers) state.fresh.delete(number);
    tell("fresh");
  }, 1600);
}

function announce(verdict) {
  const number = verdict.findings.flatMap(numbersOf).at(-1);
  toast(`The client broke ${verdict.id}.`, { bad: true, action: number && h("a", { href: entryLink(number) }, `Entry ${number}`) });
}

export const brokenCount = () => state.verdicts?.verdicts.filter(each => each.verdict === "broken").length ?? 0;

function draw(flashing = new Set()) {
  const panel = $("verdicts");
  const { verdicts } = state;
  if (!verdicts) {
    drawn.clear();
    return fill(panel, heading("Verdicts", "What a client owes its backend, and whether this one kept it."));
  }
  const counts = { broken: 0, kept: 0, not_exercised: 0 };
  for (const each of verdicts.verdicts) counts[each.verdict] += 1;
  if (!drawn.size) fill(panel, h("div", { id: "verdict-head" }), h("div", { class: "verdicts", id: "verdict-list" }));
  const faced = Math.max(1, verdicts.verdicts.length);
  const meter = h("div", { class: "meter", "aria-hidden": "true" }, h("i", { class: "broken" }), h("i"));
  meter.children[0].style.width = `${100 * counts.broken / faced}%`;
  meter.children[1].style.width = `${100 * counts.kept / faced}%`;
  fill($("verdict-head"),
    heading("Verdicts", "What a client owes its backend, judged by what it sent. Breaking a must fails a run; breaking a should is a warning."),
    h("p", { class: "score" }, h("span", { class: counts.broken ? "bad" : "" }, h("b", null, counts.broken), "broken"),
      h("span", null, h("b", null, counts.kept), "kept"), h("span", { class: "dim" }, h("b", null, counts.not_exercised), "not faced")),
    meter,
    h("div", { class: "tools" }, segments("Show", [["all", "All"], ...Object.entries(NAMES)], shown, value => { shown = value; draw(); }),
      verdicts.missed > 0 && h("span", { class: "dim" }, `${counted(verdicts.missed, "entry").replace("entrys", "entries")} had left the journal before judging began.`),
      verdicts.unmatched > 0 && h("a", { href: "#timeline?words=unmatched%3Dtrue" }, `${counted(verdicts.unmatched, "request")} fit no operation`)));
  const list = $("verdict-list");
  const order = { broken: 0, kept: 1, not_exercised: 2 };
  const sorted = [...verdicts.verdicts].sort((a, b) => order[a.verdict] - order[b.verdict]);
  for (const verdict of sorted) {
    const text = JSON.stringify(verdict);
    let known = drawn.get(verdict.id);
    if (known?.text !== text) {
      const open = known?.element.open ?? false;
      const element = obligation(verdict);
      element.open = open;
      known?.element.remove();
      known = { text, element };
      drawn.set(verdict.id, known);
    }
    known.element.hidden = shown !== "all" && shown !== verdict.verdict;
    if (flashing.has(verdict.id)) known.element.classList.add("flash");
  }
  const wanted = sorted.map(each => drawn.get(each.id).element);
  if (wanted.some((element, index) => list.children[index] !== element)) list.replaceChildren(...wanted);
}

function obligation(verdict) {
  const [mark, kind] = MARKS[verdict.verdict];
  const count = verdict.verdict === "broken" ? `${verdict.finding_count}×` : verdict.exercised ? `faced ${verdict.exercised}×` : "";
  return h("details", { "data-id": verdict.id },
    h("summary", null, h("span", { class: `mark ${kind}` }, h("span", { "aria-hidden": "true" }, mark), h("span", { class: "hidden-text" }, NAMES[verdict.verdict])),
      h("span", { class: "id" }, verdict.id), h("span", { class: "dim level" }, verdict.level),
      h("span", { class: "clause" }, prose(verdict.clause)), h("span", { class: `num ${verdict.verdict === "broken" ? "bad" : "dim"}` }, count)),
    h("div", { class: "why" },
      verdict.findings.map(finding => h("div", { class: "finding" }, h("p", null, prose(finding.message)),
        h("div", { class: "evidence" }, numbersOf(finding).map(evidence)))),
      verdict.finding_count > verdict.findings.length && h("p", { class: "dim" }, `${verdict.finding_count - verdict.findings.length} more.`),
      h("p", null, prose(verdict.advice)),
      h("p", { class: "dim" }, `Source: ${verdict.origin}.`, verdict.tolerance && ` Tolerated: ${verdict.tolerance}`),
      !state.runs && (verdict.scenarios ?? []).length > 0 && h("div", { class: "tools" }, "Make it face this: ", verdict.scenarios.map(name =>
        button(name, () => attempt(() => call("POST", inWorld("reset"), { scenario: name }), `The world starts over with ${name}.`))))));
}

/** Text in which backquotes mark code. */
const prose = text => text.split("`").map((part, index) => (index % 2 ? h("code", null, part) : part));

function evidence(number) {
  const row = timeline.rows.byNumber.get(number);
  return h("a", { class: "mono", href: entryLink(number) }, row ? `${number} ${row.verb} ${shortIDs(row.type)}` : number);
}

/** Opens the obligation that a link names. */
export function openVerdict(id) {
  const element = drawn.get(id)?.element;
  if (!element) return;
  element.hidden = false;
  element.open = true;
  element.scrollIntoView({ block: "center" });
  element.querySelector("summary").focus();
}

/** Goes to the next breach after the chosen entry. */
export function nextBreach() {
  const numbers = [...state.breaches.keys()].sort((a, b) => a - b);
  const number = numbers.find(each => each > (timeline.chosen?.number ?? 0)) ?? numbers[0];
  if (number == null) return toast("The client broke nothing so far.");
  if (!chooseNumber(number)) choose(null);
}
