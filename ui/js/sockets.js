// The sockets that are open: send into one, close it, cut it off, let it fall silent.
import { $, ask, button, fill, form, h, heading, select, field, shortID } from "./dom.js";
import { bytes, clockTime, quietTarget, shortIDs } from "./format.js";
import { act, attempt, call, inWorld } from "./api.js";
import { members } from "./form.js";
import { collection } from "./panel.js";
import { CONTROLLER, when, whileShown } from "./state.js";
import { setFilter, timeline } from "./timeline.js";

const CLOSE = { code: { example: "1001" }, reason: { text: true } };

export const openSockets = () => [...timeline.rows.sockets.values()].filter(each => !each.closed);

export function startSockets() {
  const sender = h("div", { id: "sender" });
  const list = collection({
    id: "socket-list", label: "Open sockets", path: "sockets", empty: "No socket is open. A socket appears here as soon as the app opens one.",
    columns: [["Socket", "num"], ["Path"], ["User"], ["Open for", "num"], ["Received", "num"], ["Sent", "num"], ["State"], [""]], row: cells,
  });
  fill($("sockets"), heading("Sockets", "The app's open WebSockets. Send a message into one, close it, cut it off, or let it fall silent."), list.place, sender);
  whileShown("sockets", "entries clock", 800, list.read);
  when("world", () => fill(sender));

  function cells(socket, does) {
    const n = socket.connection, path = `sockets/${n}`;
    const states = [socket.state !== "open" && socket.state, socket.streaming && `streams ${socket.streaming.piece} of ${socket.streaming.of}`,
      socket.held?.length > 0 && `${socket.held.length} held`, socket.unsent_bytes > 0 && `${bytes(socket.unsent_bytes)} unsent`,
      socket.next_deadline && `next at ${clockTime(socket.next_deadline)}`];
    return [n, h("span", { class: "mono", title: socket.path }, shortIDs(quietTarget(socket.path))), shortID(socket.user), socket.age,
      socket.frames_in, socket.frames_out, states.filter(Boolean).join(", "), [
        button("Frames", () => { setFilter({ words: `connection=${n}` }); location.hash = "#timeline"; }),
        button("Send…", () => openSender(sender, n)),
        does.button("Hold", "POST", "breakpoints", { body: { on: "frame", match: { connection: n }, controller: CONTROLLER },
          done: `Frames on socket ${n} are held. Let them go under Breakpoints.` }),
        button("Close…", () => {
          const form = members(CLOSE);
          ask(`Close socket ${n}`, "Close it", () => does.change("POST", `${path}/close`, form.value(), `Socket ${n} is closing.`), form.elements);
        }),
        does.button("Cut", "POST", `${path}/finish`, { title: "End the connection without a close frame" }),
        does.button("Reset", "POST", `${path}/reset`, { title: "Reset the connection (RST)" }),
        socket.state === "silent" ? does.button("Resume", "POST", `${path}/resume`, { title: "Send and read again" })
          : does.button("Silence", "POST", `${path}/silence`, { title: "Send and read nothing from now on" })]];
  }
}

/** A form for a message: one of the server's own frames with its fields, any text, or bytes. */
async function openSender(place, n) {
  const socket = await act("GET", `sockets/${n}`);
  if (!socket) return;
  const area = h("textarea", { rows: "8", spellcheck: "false", "aria-label": "Message" });
  const show = name => { area.value = JSON.stringify(socket.templates.find(each => each.type === name)?.fields, null, 2) ?? ""; };
  const chosen = select("Template", [...socket.templates.map(each => each.type), ["text", "Any text"], ["base64", "Bytes as base64"]], socket.templates[0]?.type ?? "text", show);
  show(chosen.value);
  const send = () => call("POST", inWorld(`sockets/${n}/send`),
    ["text", "base64"].includes(chosen.value) ? { [chosen.value]: area.value } : { template: chosen.value, fields: JSON.parse(area.value) });
  fill(place, form(`Send to socket ${n}`, () => attempt(send, `Sent to socket ${n}.`), field("Template", chosen), area,
    h("div", { class: "tools" }, h("button", { class: "main", type: "submit" }, "Send"), button("Cancel", () => fill(place)))));
  area.focus();
}
