// The line above the timeline: the numbers of requests, sockets, broken obligations and held items.
import { $, fill, h } from "./dom.js";
import { state, when } from "./server.js";
import { timeline } from "./timeline.js";
import { brokenCount, warnedCount } from "./verdicts.js";
import { openSockets } from "./live.js";

export const startOverview = () => when("entries counts breaches", draw);

const many = count => count.toLocaleString("en");
const counted = (count, noun) => `${many(count)} ${noun}${count === 1 ? "" : "s"}`;

function draw() {
  const { requests, failures, sockets } = timeline.rows, musts = brokenCount(), shoulds = warnedCount();
  const parts = [
    [counted(requests, "request"), "#timeline?words=kind%3Dexchange"],
    failures > 0 && [`${many(failures)} failed`, "#timeline?words=status%3D5xx", "warn"],
    [`${counted(sockets.size, "socket")}, ${openSockets().length} open`, state.runs ? "#timeline?words=kind%3Dopened" : "#sockets"],
    musts > 0 && [`${counted(musts, "must")} broken`, "#verdicts", "bad"],
    shoulds > 0 && [`${counted(shoulds, "should")} broken`, "#verdicts", "warn"],
    state.held.length > 0 && [`${state.held.length} held`, "#breakpoints", "held"]].filter(Boolean);
  if ($("overview").dataset.shown === String(parts)) return;
  $("overview").dataset.shown = String(parts);
  fill($("overview"), parts.map(([text, href, colour]) => h("a", { href, class: colour }, text)));
}
