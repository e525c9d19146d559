"""A browser served from a HAR by Playwright's `route_from_har`, without a server.

    open_with_playwright.py CHROMIUM HAR...

Each page with an answer in a file must have the recorded body.
"""

import asyncio
import json
import pathlib
import sys

from playwright.async_api import async_playwright


async def open_pages(browser, har):
    entries = json.loads(pathlib.Path(har).read_text(encoding="utf-8"))["log"]["entries"]
    # If a URL occurs more than once, the browser gets one of its answers.
    bodies = {}
    for entry in entries:
        if entry["request"]["method"] == "GET" and entry["response"]["status"] == 200:
            bodies.setdefault(entry["request"]["url"], []).append(entry["response"]["content"]["text"])
    assert bodies, f"no GET in {har}"
    context = await browser.new_context()
    page = await context.new_page()
    await page.route_from_har(har, not_found="abort")
    for url, recorded in bodies.items():
        answer = await page.goto(url)
        text = await answer.text()
        assert answer.status == 200 and text in recorded, f"{har}: {url} was answered {answer.status} {text[:500]}"
    await context.close()
    print(f"{har}: {len(bodies)} pages")


async def main(chromium, *hars):
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, chromium_sandbox=False)
        for har in hars:
            await open_pages(browser, har)
        await browser.close()


asyncio.run(main(*sys.argv[1:]))
