"""Presses Tab in each installed shell: with_completions.py PROGRAM"""
import json, os, pty, re, select, shutil, subprocess, sys, tempfile, time, urllib.request
from pathlib import Path

# The input, and what a Tab adds to it.
LINES = [
    ("serve --guide goal", "-linking"), ("serve --scenario confl", "ict"), ("serve --scenario min", "e.yaml"),
    ("serve --network wifi", "-bad"), ("explore --only beh", "aviour"), ("replay --match stri", "ct"),
    ("show ses", "sion.har"), ("explore --output fol", "der"), ("serve --certificate ses", "sion.har"),
    ("watch --url {url} --world w", "1"), ("judge journal.ndjson --world ki", "tchen"), ("conform --case goal/chat/t", "wice"),
    ("scenario fr", "om"), ("scenarios confl", "ict"), ("reset confl", "ict"), ("test-client --case chat/answer/as-scr", "ipted"),
    ("verify --quiet -- cli", "ent.sh"),
]
SHELLS = {
    "bash": (["--norc", "-i"], "PS1='> '; source ./bash"),
    "zsh": (["-f", "-i"], "PS1='> '; fpath=($PWD/zsh $fpath); autoload -Uz compinit && compinit -u -D"),
    "fish": (["--no-config", "-i"], "source ./fish"),
}


class Terminal:
    def __init__(self, shell, folder, path):
        options, setup = SHELLS[shell]
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm" if shell == "fish" else "dumb", PATH=path)
            os.execvp(shell, [shell, *options])
        self.text = ""
        self.type(f"{setup}; echo ready-$(expr 40 + 2)\r" if shell != "fish" else f"{setup}; echo ready-(expr 40 + 2)\r")
        assert self.shows("ready-42", 60), self.text

    def type(self, text): os.write(self.file, text.encode())

    def shows(self, text, seconds):
        end = time.monotonic() + seconds
        while text not in self.text and time.monotonic() < end:
            if select.select([self.file], [], [], 1)[0]:
                # Escapes that move the cursor or set colours are dropped.
                self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "", os.read(self.file, 65536).decode(errors="replace"))
        return text in self.text

    def complete(self, line, rest):
        # A completion that asks a server gives up soon, which may happen on a busy machine.
        for _ in range(10):
            self.text = ""
            self.type(f"fitiq-mock {line}\t")
            is_complete = self.shows(line.split(" ")[-1] + rest, 10)
            self.type("\x15")
            if is_complete: return
        raise AssertionError(f"no {rest!r} in {self.text!r}")

    def close(self):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


program = Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for made in ("bin", "zsh", "folder"): (folder / made).mkdir()
    (folder / "bin/fitiq-mock").symlink_to(program)
    for made in ("mine.yaml", "session.har", "client.sh"): (folder / made).touch()
    line = {"number": 1, "world": "kitchen", "time": "2025-01-29T10:30:00Z", "kind": "note", "text": "x"}
    (folder / "journal.ndjson").write_text(json.dumps(line) + "\n")
    for shell, place in (("bash", "bash"), ("zsh", "zsh/_fitiq-mock"), ("fish", "fish")):
        (folder / place).write_bytes(subprocess.check_output([program, "completions", shell]))
    server = subprocess.Popen(
        [program, "serve", "--port", "0", "--ready-file", folder / "ready.json"], stdout=subprocess.DEVNULL)
    try:
        subprocess.check_call([program, "wait", "--ready-file", folder / "ready.json"], stdout=subprocess.DEVNULL)
        url = json.loads((folder / "ready.json").read_text())["url"]
        urllib.request.urlopen(urllib.request.Request(url + "/__admin/worlds", method="POST")).read()
        for shell in SHELLS:
            if not shutil.which(shell): continue
            terminal = Terminal(shell, folder, f"{folder}/bin:{os.environ['PATH']}")
            try:
                for line, rest in LINES: terminal.complete(line.format(url=url), rest)
            finally:
                terminal.close()
            print(shell)
    finally:
        server.terminate()
        server.wait()
