"use strict";
// Finds sections that have all words; a heading that equals the query counts most, then one that contains it, the page's title, then how often the text has them.
const field = document.getElementById("search");
const hits = document.getElementById("hits");
const most = 20;

function score(entry, words) {
  const [, title, heading, text] = entry.map(part => part.toLowerCase());
  let sum = heading === words.join(" ") ? 40 : 0;
  for (const word of words) {
    const count = text.split(word).length - 1;
    const here = (heading === word ? 40 : heading.includes(word) ? 20 : 0) + (title.includes(word) ? 8 : 0) + Math.min(count, 5);
    if (here === 0) return 0;
    sum += here;
  }
  return sum;
}

// The text around the first word, as nodes: what is shown is never read as HTML.
function extract(text, words) {
  const lower = text.toLowerCase();
  const place = Math.max(0, Math.min(...words.map(word => lower.indexOf(word)).filter(place => place >= 0), lower.length) - 60);
  const piece = (place > 0 ? "…" : "") + text.slice(place, place + 180) + (place + 180 < text.length ? "…" : "");
  const pattern = new RegExp("(" + words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "i");
  const line = document.createElement("p");
  piece.split(new RegExp(pattern.source, "gi")).forEach(part => {
    if (pattern.test(part)) {
      const mark = document.createElement("mark");
      mark.textContent = part;
      line.append(mark);
    } else {
      line.append(part);
    }
  });
  return line;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(word => word !== "");
  hits.replaceChildren();
  hits.hidden = words.length === 0;
  if (hits.hidden) return;
  const found = SEARCH_INDEX.map(entry => ({ entry, score: score(entry, words) })).filter(hit => hit.score > 0);
  found.sort((left, right) => right.score - left.score);
  const summary = document.createElement("p");
  summary.textContent = found.length === 0 ? "Nothing has all of these words." : `${found.length} section${found.length === 1 ? "" : "s"}` + (found.length > most ? `, the first ${most}:` : ":");
  hits.append(summary);
  for (const { entry: [address, title, heading, text] } of found.slice(0, most)) {
    const link = document.createElement("a");
    link.href = document.body.dataset.top + "/" + address;
    link.textContent = heading === title ? title : `${title}: ${heading}`;
    hits.append(link, extract(text, words));
  }
}

field.form.addEventListener("submit", event => {
  event.preventDefault();
  hits.querySelector("a")?.click();
});
field.addEventListener("input", search);
hits.addEventListener("click", event => {
  if (event.target.closest("a")) { field.value = ""; search(); }
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && !hits.hidden) {
    field.value = "";
    search();
  }
});
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
