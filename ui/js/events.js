// The world's stream of events. It is read with fetch, because EventSource cannot send the admin token.
import { adminURL, askToken, authorized, inWorld } from "./api.js";
import { CONTROLLER } from "./state.js";

/** The events {id, event, data} in a stream of bytes. */
async function* events(body) {
  const decoder = new TextDecoder(), reader = body.getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const event = { id: null, event: "message", data: "" };
        for (const line of block.split("\n")) {
          if (line.startsWith("data: ")) event.data += (event.data && "\n") + line.slice(6);
          else if (line.startsWith("id: ")) event.id = Number(line.slice(4));
          else if (line.startsWith("event: ")) event.event = line.slice(7);
        }
        if (event.data) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Follows the current world until the signal aborts: `onEvents` gets batches, `onLink` what the connection is
 * ("live", "lost", "gone"), `onRestart` is called when another process has begun a journal of its own.
 */
export async function follow({ signal, onEvents, onLink, onRestart }) {
  let lastID = 0, instance = null, batch = [], timer = null;
  const flush = () => {
    timer = null;
    const taken = batch;
    batch = [];
    if (!signal.aborted && taken.length) onEvents(taken);
  };
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      // Breakpoints of this page end with its stream, so that nothing waits for a page that was closed.
      const answer = await fetch(adminURL(inWorld(`events?verdicts=true&controller=${CONTROLLER}`)), {
        signal, cache: "no-store", headers: authorized({ "Last-Event-ID": String(lastID) }),
      });
      if (answer.status === 401) {
        await askToken();
        continue;
      }
      if (answer.status === 404) return onLink("gone");
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      onLink("live");
      wait = 500;
      for await (const event of events(answer.body)) {
        if (event.id != null) lastID = event.id;
        if (event.event === "world") {
          const world = JSON.parse(event.data);
          const isOther = instance && world.instance !== instance;
          instance = world.instance;
          if (isOther) {
            [lastID, batch] = [0, []];
            onRestart();
            throw new Error("The server was restarted.");
          }
        }
        batch.push(event);
        // A burst is shown once a frame; requestAnimationFrame would wait for ever in a hidden tab.
        timer ??= setTimeout(flush, 16);
      }
    } catch { /* The loop tries again. */ }
    if (signal.aborted) return;
    onLink("lost");
    await new Promise(resolve => setTimeout(resolve, wait));
  }
}
