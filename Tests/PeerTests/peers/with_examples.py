"""Runs the two examples that end the help of each command: with_examples.py PROGRAM FIXTURES"""
import json, os, re, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

program, fixtures = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
CLIENT = """#!/usr/bin/env python3
import os, urllib.request
request = urllib.request.Request(os.environ["FITIQ_MOCK_URL"] + "/api/v1/goals")
request.add_header("Authorization", "Bearer " + os.environ["FITIQ_MOCK_TOKEN"])
request.add_header("X-API-Key", os.environ["FITIQ_MOCK_API_KEY"])
urllib.request.urlopen(request, timeout=5).read()
"""
# They run until they are stopped, once they have written this.
ENDLESS = {"serve": "Stop with", "record": "Stop with", "replay": "Stop with", "watch": "watching"}
# A verdict on the little client is no matter here.
VERDICTS = {"verify", "explore", "test-client", "judge", "conform", "diff", "scenario from"}


def server(folder, environment):
    ready = folder / "ready.json"
    process = subprocess.Popen(
        [program, "serve", "--port", "0", "--instant", "--ready-file", ready], stdout=subprocess.DEVNULL, env=environment)
    subprocess.check_call([program, "wait", "--ready-file", ready], stdout=subprocess.DEVNULL)
    return process, json.loads(ready.read_text())


def run(command, line, folder, environment):
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True)
        end = time.monotonic() + 300
        while command in ENDLESS and ENDLESS[command] not in log.read_text() and process.poll() is None:
            assert time.monotonic() < end, line
            time.sleep(0.05)
        if command in ENDLESS: os.killpg(process.pid, signal.SIGINT)
        status = process.wait(timeout=300)
    assert status == 0 or status == 1 and command in VERDICTS, f"{line}: exit {status}\n{log.read_text()}"


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for made in ("bin", "scenarios", ".config/fish/completions"): (folder / made).mkdir(parents=True)
    (folder / "bin/fitiq-mock").symlink_to(program)
    for made, source in (
        ("session.har", "sessions/chat.har"), ("other.har", "sessions/goals.har"),
        ("adapter.py", "adapters/minimal/adapter.py"), ("meal_client.py", "adapters/minimal/meal_client.py"),
    ): shutil.copy(fixtures / source, folder / made)
    for made in ("mine.yaml", "scenarios/one.yaml"): (folder / made).write_text("name: mine\n")
    (folder / "run-my-tests").write_text(CLIENT)
    (folder / "run-my-tests").chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FITIQ_")}
    environment.update(HOME=name, PATH=f"{folder}/bin:{os.environ['PATH']}", FITIQ_MOCK_DATA_DIR=f"{folder}/data")
    clients = environment | {"FITIQ_MOCK_PORT": "0"}
    process, ready = server(folder, clients)
    clients |= {"FITIQ_MOCK_URL": ready["url"], "TOKEN": ready["token"], "PAGER": "cat"}
    subprocess.check_call([folder / "run-my-tests"], env=clients | {
        "FITIQ_MOCK_TOKEN": ready["token"], "FITIQ_MOCK_API_KEY": ready["api_key"]})
    (folder / "journal.ndjson").write_bytes(subprocess.check_output(["curl", "-sS", ready["url"] + "/__admin/journal"]))
    overview = subprocess.check_output([program, "--help"], text=True)
    names = ["", *re.findall(r"^  ([a-z-]+) ", overview.split("SUBCOMMANDS:", 1)[1].split("EXAMPLES:")[0], re.M), "scenario from"]
    count = 0
    try:
        for name in names:
            text = subprocess.check_output([program, "help", *name.split()], text=True)
            examples = text.rstrip("\n").split("EXAMPLES:\n")[1].split("\n")
            assert len(examples) == 2, text
            for line in examples:
                command = next((each for each in sorted(names, reverse=True) if each and f"fitiq-mock {each}" in line), name)
                line = re.sub(r"http://127.0.0.1:8080|https://api.example.com", ready["url"], line.strip())
                run(command, line, folder, clients)
                if command == "drain":
                    process.wait(timeout=60)
                    process, ready = server(folder, environment | {"FITIQ_MOCK_PORT": "0"})
                    clients |= {"FITIQ_MOCK_URL": ready["url"], "TOKEN": ready["token"]}
                count += 1
    finally:
        process.terminate()
        process.wait()
    print(f"{count} examples")
