"""The session of session_steps.json in Chromium, driven by Playwright, which writes the browser's traffic as HAR.

    record_with_playwright.py READY_FILE CHROMIUM HAR CONTENT TRANSCRIPT

CONTENT is `embed`, or `attach`: bodies and messages are then files next to the HAR.
"""

import asyncio
import json
import pathlib
import sys

from playwright.async_api import async_playwright

HERE = pathlib.Path(__file__).parent
SECONDS = 60


async def main(ready_file, chromium, har, content, transcript):
    ready = json.loads(pathlib.Path(ready_file).read_text())
    steps = json.loads((HERE / "session_steps.json").read_text(encoding="utf-8"))
    session = (HERE / "session_page.js").read_text(encoding="utf-8")
    async with async_playwright() as playwright:
        # Root, as in containers, gets no sandbox.
        browser = await playwright.chromium.launch(executable_path=chromium, chromium_sandbox=False)
        print(f"Chromium {browser.version}", flush=True)
        context = await browser.new_context(record_har_path=har, record_har_content=content)
        page = await context.new_page()
        page.on("console", lambda message: print(f"console: {message.text}", flush=True))
        # The page's origin must be the server's: it sends no CORS fields, so Chromium lets no other page reach it.
        await page.goto(f"{ready['url']}/health")
        told = await asyncio.wait_for(
            page.evaluate(session, {"steps": steps, "token": ready["token"], "apiKey": ready["api_key"]}), SECONDS)
        # The file is written when the context closes.
        await context.close()
        await browser.close()
    with open(transcript, "w", encoding="utf-8") as file:
        json.dump(told, file, indent=1, ensure_ascii=False)


asyncio.run(main(*sys.argv[1:]))
