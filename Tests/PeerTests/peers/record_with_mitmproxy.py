"""The session of session_client.py through mitmdump, a reverse proxy that writes a HAR.

    record_with_mitmproxy.py READY_FILE MITMDUMP HAR TRANSCRIPT
"""

import asyncio
import json
import pathlib
import re
import signal
import sys
import tempfile

import session_client

SECONDS = 30


async def address(mitmdump):
    """The address of the proxy, from its output: `… listening at http://127.0.0.1:40123.`"""
    while line := (await mitmdump.stdout.readline()).decode():
        print(line, end="", flush=True)
        if match := re.search(r"listening at (http://[\d.:]+\d|[\d.]+:\d+)", line):
            return match[1] if match[1].startswith("http") else f"http://{match[1]}"
    raise AssertionError("mitmdump ended before it listened")


async def main(ready_file, program, har, transcript):
    ready = json.loads(pathlib.Path(ready_file).read_text())
    with tempfile.TemporaryDirectory() as folder:
        mitmdump = await asyncio.create_subprocess_exec(
            program, "--mode", f"reverse:{ready['url']}", "--listen-host", "127.0.0.1", "--listen-port", "0",
            "--set", f"hardump={har}", "--set", f"confdir={folder}", stdout=asyncio.subprocess.PIPE)
        try:
            url = await asyncio.wait_for(address(mitmdump), SECONDS)
            # Keep reading, or the proxy blocks at a full pipe.
            rest = asyncio.create_task(mitmdump.stdout.read())
            await session_client.tell(url, ready["token"], ready["api_key"], transcript, "headers")
        finally:
            # It writes the file when it is asked to end.
            mitmdump.terminate()
            try:
                await asyncio.wait_for(mitmdump.wait(), SECONDS)
            except TimeoutError:
                mitmdump.kill()
                raise
        print((await rest).decode(), end="")


# Test runners block signals in their children, which inherit blocked ones: mitmdump would never end.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
asyncio.run(main(*sys.argv[1:]))
