// Times, sizes and bytes as text.

/** Milliseconds since 1970; fractions down to a fraction of a microsecond. */
export function milliseconds(time) {
  const point = time.indexOf(".");
  if (point < 0) return Date.parse(time);
  return Date.parse(time.slice(0, point) + "Z") + Number("0" + time.slice(point, -1)) * 1000;
}

/** The time of day in UTC, to the millisecond. */
export const clockTime = time => (time.length < 24 ? time.slice(0, -1) + ".000" : time).slice(11, 23);

export const isoTime = ms => new Date(ms).toISOString();

export function duration(ms) {
  const size = Math.abs(ms);
  if (size < 0.0005) return "0 ms";
  if (size < 1) return `${ms.toFixed(2)} ms`;
  if (size < 100) return `${ms.toFixed(1)} ms`;
  if (size < 1000) return `${Math.round(ms)} ms`;
  if (size < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  if (size < 3_600_000) return `${(ms / 60_000).toFixed(1)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** `target_date` or `targetDate` as `Target date`. */
export const labelled = key => key[0].toUpperCase() + key.slice(1).replace(/_|(?=[A-Z])/g, " ").toLowerCase();

/** One line: control characters as pictures, at most `limit` characters. */
export function oneLine(text, limit = 240) {
  const picture = c => (c === "\x7f" ? "␡" : String.fromCharCode(0x2400 + c.charCodeAt(0)));
  // eslint-disable-next-line no-control-regex
  return text.slice(0, limit).replace(/[\0-\x1f\x7f]/g, picture);
}

/** The target as the client means it: without the world's prefix, and without credentials in its query. */
export const quietTarget = target => target.replace(/^\/w\/[^/]+/, "").replace(/([?&])token=[^&]*&?/, "$1").replace(/[?&]$/, "");

/** Ids as their beginnings, so that the end of a path can be seen. */
export const shortIDs = text => text.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "$1…");

const encoder = new TextEncoder();
const byteLength = text => encoder.encode(text).length;

/** A body or payload of an entry: its bytes, its text if it is UTF-8, how many bytes there were, and what was cut. */
export function content(holder, name) {
  const text = holder[name], base64 = holder[`${name}_base64`];
  if (text == null && base64 == null) return null;
  return {
    text, base64, note: holder[`${name}_note`],
    get bytes() { return text != null ? encoder.encode(text) : Uint8Array.from(atob(base64), c => c.charCodeAt(0)); },
    size: holder[`${name}_bytes`] ?? (text != null ? byteLength(text) : Math.floor(base64.replace(/=+$/, "").length * 3 / 4)),
  };
}

export function hexDump(data, limit = 16_384) {
  const lines = [];
  for (let at = 0; at < Math.min(data.length, limit); at += 16) {
    const row = [...data.subarray(at, at + 16)];
    const hex = row.map(b => b.toString(16).padStart(2, "0"));
    const half = n => hex.slice(n, n + 8).join(" ").padEnd(23);
    lines.push(`${at.toString(16).padStart(6, "0")}  ${half(0)}  ${half(8)}  `
      + row.map(b => b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : "·").join(""));
  }
  if (data.length > limit) lines.push(`… ${bytes(data.length - limit)} more`);
  return lines.join("\n");
}

/** The value of JSON, or undefined. */
export function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[-+.\w]+|[{[]\s*[}\]]|[{}[\],:]/g;

/** JSON as [class, text] pieces, indented, or null. Works on the text, because a parsed number has lost its spelling. */
export function jsonPieces(text) {
  if (parsed(text) === undefined) return null;
  let depth = 0;
  const line = by => "\n" + "  ".repeat(depth += by);
  return text.match(TOKEN).map((token, index, all) => {
    if (token === "{" || token === "[") return ["p", token + line(1)];
    if (token === "}" || token === "]") return ["p", line(-1) + token];
    if (token === ",") return ["p", token + line(0)];
    if (token === ":") return ["p", ": "];
    return [token[0] !== '"' ? "l" : all[index + 1] === ":" ? "k" : "", token];
  });
}
