"""Stands in for operations that the page uses and a server does not list yet, in the browser alone."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from ruamel.yaml import YAML

# What is due, and events that the stream has no kind for: the world at the beginning, and verdicts whenever entries come.
FETCH = """(() => {
    const fetched = window.fetch, encoder = new TextEncoder();
    window.fetch = async (url, options) => {
        const answer = await fetched(url, options);
        if (String(url).endsWith("/clock") && answer.ok) {
            const clock = await answer.json();
            clock.due = clock.next_step && clock.mode === "manual" ? [{time: clock.next_step, what: "meal_log"}] : [];
            return Response.json(clock);
        }
        if (!String(url).includes("/events?") || !answer.ok) return answer;
        const says = (event, data) => encoder.encode(`event: ${event}\\ndata: ${JSON.stringify(data)}\\n\\n`);
        const body = answer.body.pipeThrough(new TransformStream({
            start(controller) { controller.enqueue(says("world", {id: "default", instance: "0123456789abcdef"})); },
            transform(chunk, controller) {
                controller.enqueue(chunk);
                // Between two events only: a chunk may end within one.
                const end = new TextDecoder().decode(chunk.slice(-2));
                if (end === "\\n\\n" && chunk.length > 2) controller.enqueue(says("verdicts", {verdicts: []}));
            },
        }));
        return new Response(body, {status: answer.status});
    };
})()"""


class StandIns:
    def __init__(self, server):
        self.server = server
        self.sent, self.sockets, self.waiting, self.breakpoints = [], [], [], []

    def __call__(self, page):
        page.add_init_script(FETCH)
        page.route(re.compile(r"/__admin/(worlds/[^/]+/)?(sockets|breakpoints|held|marks|rewind|fork|check)\b.*$"), self.answer)

    def answer(self, route):
        request = route.request
        path = re.sub(r"^.*/__admin/(worlds/[^/]+/)?", "", request.url)
        body = json.loads(request.post_data or "{}")
        if request.method != "GET":
            self.sent.append((f"{request.method} {path}", body))
        if path == "check":
            return route.fulfill(json=self.check(body["text"]))
        if request.method == "POST" and path.startswith("held/"):
            self.waiting[:] = [each for each in self.waiting if f"held/{each['held']}" != path]
        if path.startswith("sockets/") and request.method == "GET":
            templates = [{"type": "stream_chunk", "fields": {"content": "…"}}, {"type": "error", "fields": {"code": "X", "message": "Y"}}]
            return route.fulfill(json={**self.sockets[0], "templates": templates})
        return route.fulfill(json={"sockets": self.sockets, "breakpoints": self.breakpoints, "held": self.waiting, "limit": 256, "passed": 0,
                                   "marks": [{"name": "before", "number": 12, "time": "2026-01-29T10:30:00.000000000Z", "bytes": 100}]})

    def check(self, text):
        """By the command of the same name."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "text.yaml"
            file.write_text(text, encoding="utf-8")
            done = subprocess.run([self.server.process.args[0], "check", str(file)], capture_output=True, text=True)
            if done.returncode == 0:
                return {"ok": True, "scenario": YAML(typ="safe", pure=True).load(text), "mistakes": [], "omitted": 0}
        places = re.findall(r"text\.yaml:(\d+):(\d+): (.*)", done.stdout + done.stderr)
        return {"ok": False, "omitted": 0, "mistakes": [
            {"line": int(line), "column": int(column), "path": "", "message": said} for line, column, said in places]}


def stand_ins(server):
    """What a page of this server needs in place of operations that it lacks; nothing if it has all."""
    return None if server.offers("GET /held") else StandIns(server)
