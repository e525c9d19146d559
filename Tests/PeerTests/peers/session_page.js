// The steps of session_steps.json in a page: `fetch`, `WebSocket`, and the same transcript as session_client.py's.
async ({steps, token, apiKey}) => {
  const headers = {"Authorization": `Bearer ${token}`, "X-API-Key": apiKey};
  const kept = {};
  const transcript = {answers: [], sockets: []};
  const filled = path => path.replace(/\{(\w+)\}/g, (_, name) => kept[name]);
  const withoutOrigin = text => text.replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://server");
  let socket, arrived, wake;

  async function ask(step) {
    const path = filled(step.path);
    const sent = step.body === undefined
      ? {method: step.ask, headers}
      : {method: step.ask, headers: {...headers, "Content-Type": "application/json"}, body: JSON.stringify(step.body)};
    const answer = await fetch(path, sent);
    const text = await answer.text();
    transcript.answers.push([`${step.ask} ${path}`, answer.status, withoutOrigin(text)]);
    if (step.keep) kept[step.keep] = JSON.parse(text).data.id;
  }

  async function open(path) {
    // A page cannot set the fields of a handshake: the token goes into the query.
    const opened = new WebSocket(`${location.origin.replace("http", "ws")}${filled(path)}?token=${token}`);
    const events = arrived = [];
    opened.onmessage = event => { events.push(event.data); wake?.(); };
    opened.onclose = event => { events.push(new Error(`closed with ${event.code}`)); wake?.(); };
    socket = opened;
    transcript.sockets.push([]);
  }

  async function listen(last) {
    for (;;) {
      while (arrived.length === 0) await new Promise(resolve => { wake = resolve; });
      const event = arrived.shift();
      if (typeof event !== "string") throw event;
      transcript.sockets.at(-1).push(withoutOrigin(event));
      if (JSON.parse(event).type === last) return;
    }
  }

  async function close(code) {
    const closed = socket.readyState === WebSocket.CLOSED
      ? Promise.resolve()
      : new Promise(resolve => socket.addEventListener("close", resolve));
    socket.close(code);
    await closed;
  }

  for (const step of steps) {
    if (step.ask) await ask(step);
    else if (step.open) await open(step.open);
    else if (step.send) socket.send(step.send);
    else if (step.send_bytes) socket.send(new Uint8Array(step.send_bytes));
    else if (step.close) await close(step.close);
    if (step.until) await listen(step.until);
  }
  return transcript;
}
