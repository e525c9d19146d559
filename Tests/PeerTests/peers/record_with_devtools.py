"""The session of session_steps.json in Chromium, as DevTools exports it while its front end watches the tab.

    record_with_devtools.py READY_FILE CHROMIUM HAR TRANSCRIPT

It uses modules of DevTools, which move from version to version, so no test runs it; scripts/record-sessions creates
Fixtures/sessions/foreign/chrome.har with it.
"""

import asyncio
import json
import pathlib
import socket
import sys
import urllib.parse
import urllib.request

from playwright.async_api import async_playwright

HERE = pathlib.Path(__file__).parent
SECONDS = 60
TAB = "about:blank#recorded"
WATCHES = """async () => {
    const {NetworkLog} = await import(new URL("models/logs/logs.js", location.href).href);
    const {TargetManager} = (await import(new URL("core/sdk/sdk.js", location.href).href)).TargetManager;
    return NetworkLog.NetworkLog.instance() && TargetManager.instance().primaryPageTarget() !== null;
}"""
EXPORT = """async () => {
    const load = path => import(new URL(path, location.href).href);
    const [logs, har, common] = await Promise.all(
        ["models/logs/logs.js", "models/har/har.js", "core/common/common.js"].map(load));
    const requests = logs.NetworkLog.NetworkLog.instance().requests();
    const progress = new common.Progress.CompositeProgress(new common.Progress.Progress());
    return await har.Writer.Writer.harStringForRequests(requests, {sanitize: false}, progress);
}"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


async def main(ready_file, chromium, har, transcript):
    ready = json.loads(pathlib.Path(ready_file).read_text())
    steps = json.loads((HERE / "session_steps.json").read_text(encoding="utf-8"))
    session = (HERE / "session_page.js").read_text(encoding="utf-8")
    port = free_port()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, chromium_sandbox=False,
            args=[f"--remote-debugging-port={port}", "--remote-allow-origins=*"])
        page = await browser.new_page()
        await page.goto(TAB)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
            address = next(tab["webSocketDebuggerUrl"] for tab in json.load(answer) if tab["url"] == TAB)
        tools = await browser.new_page()
        address = urllib.parse.quote(address.removeprefix("ws://"), safe="/:")
        await tools.goto(f"http://127.0.0.1:{port}/devtools/inspector.html?ws={address}&panel=network")
        await tools.wait_for_function(WATCHES)
        await page.goto(f"{ready['url']}/health")
        told = await asyncio.wait_for(
            page.evaluate(session, {"steps": steps, "token": ready["token"], "apiKey": ready["api_key"]}), SECONDS)
        pathlib.Path(har).write_text(await tools.evaluate(EXPORT) + "\n", encoding="utf-8")
        await browser.close()
    with open(transcript, "w", encoding="utf-8") as file:
        json.dump(told, file, indent=1, ensure_ascii=False)


asyncio.run(main(*sys.argv[1:]))
