// The sockets that are open: send into one, close it, cut it off, let it fall silent.
import { $, ask, button, field, fill, form, h, heading, select, shortID, table } from "./dom.js";
import { bytes, clockTime, quietTarget, shortIDs } from "./format.js";
import { act, attempt, call, inWorld } from "./api.js";
import { CONTROLLER, when, whileShown } from "./state.js";
import { setFilter, timeline } from "./timeline.js";

export function startSockets() {
  fill($("sockets"), heading("Sockets", "The app's open WebSockets. Send a message into one, close it, cut it off, or let it fall silent."),
    h("div", { id: "socket-list" }), h("div", { id: "sender" }));
  whileShown("sockets", "entries clock", 800, readSockets);
  when("world", () => fill($("sender")));
}

export const openSockets = () => [...timeline.rows.sockets.values()].filter(each => !each.closed);

async function readSockets() {
  const answer = await act("GET", "sockets");
  if (!answer) return;
  fill($("socket-list"), answer.sockets.length
    ? table("Open sockets", [["Socket", "num"], ["Path"], ["User"], ["Open for", "num"], ["Received", "num"], ["Sent", "num"], ["State"], [""]],
      answer.sockets.map(row))
    : h("p", { class: "empty" }, "No socket is open. A socket appears here as soon as the app opens one."));
}

function row(socket) {
  const n = socket.connection;
  const states = [socket.state !== "open" && socket.state, socket.streaming && `streams ${socket.streaming.piece} of ${socket.streaming.of}`,
    socket.held?.length > 0 && `${socket.held.length} held`, socket.unsent_bytes > 0 && `${bytes(socket.unsent_bytes)} unsent`,
    socket.next_deadline && `next at ${clockTime(socket.next_deadline)}`];
  const does = (action, label, title) => button(label, () => act("POST", `sockets/${n}/${action}`, {}).then(readSockets), { title });
  return [n, h("span", { class: "mono", title: socket.path }, shortIDs(quietTarget(socket.path))), shortID(socket.user), socket.age,
    socket.frames_in, socket.frames_out, states.filter(Boolean).join(", "), [
      button("Frames", () => { setFilter({ socket: String(n) }); location.hash = `#timeline?socket=${n}`; }),
      button("Send…", () => openSender(n)),
      button("Hold", () => act("POST", "breakpoints", { on: "frame", match: { connection: n }, controller: CONTROLLER },
        `Frames on socket ${n} are held. Let them go under Breakpoints.`)),
      button("Close…", () => openClose(n)),
      does("finish", "Cut", "End the connection without a close frame"),
      does("reset", "Reset", "Reset the connection (RST)"),
      socket.state === "silent" ? does("resume", "Resume", "Send and read again") : does("silence", "Silence", "Send and read nothing from now on")]];
}

function openClose(n) {
  const code = h("input", { inputmode: "numeric", value: "1001", size: "6" }), reason = h("input", { maxlength: "123" });
  ask(`Close socket ${n}`, "Close it", () => act("POST", `sockets/${n}/close`, { code: Number(code.value), reason: reason.value },
    `Socket ${n} is closing.`).then(readSockets), field("Code", code), field("Reason", reason, { wide: true }));
}

/** A form for a message: one of the server's own frames with its fields, or any text. */
async function openSender(n) {
  const socket = await act("GET", `sockets/${n}`);
  if (!socket) return;
  const area = h("textarea", { rows: "8", spellcheck: "false", "aria-label": "Message" });
  const show = name => {
    const template = socket.templates.find(each => each.type === name);
    area.value = template ? JSON.stringify(template.fields, null, 2) : "";
  };
  const chosen = select("Template", [...socket.templates.map(each => each.type), ["", "Any text"]], socket.templates[0]?.type ?? "", show);
  show(chosen.value);
  const send = () => call("POST", inWorld(`sockets/${n}/send`),
    chosen.value ? { template: chosen.value, fields: JSON.parse(area.value) } : { text: area.value });
  fill($("sender"), form(`Send to socket ${n}`, () => attempt(send, `Sent to socket ${n}.`), field("Template", chosen), area,
    h("div", { class: "tools" }, h("button", { class: "main", type: "submit" }, "Send"), button("Cancel", () => fill($("sender"))))));
  area.focus();
}
