"""The Model Context Protocol with the official SDK and fastmcp, over stdio and HTTP.

Usage: with_mcp.py PROGRAM URL, where URL is a running server's. The SDK's models validate every message.
"""

import asyncio
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

import jsonschema
from fastmcp import Client as FastClient
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

PROGRAM, URL = sys.argv[1], sys.argv[2]
ENDPOINT = URL + "/__admin/mcp"
ERAS = ["2026-07-28", "2025-11-25"]


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def stdio(*arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FITIQ_MOCK_")}
    return stdio_client(StdioServerParameters(command=PROGRAM, args=["mcp", *arguments], env=environment))


def client(kind, era, *arguments):
    mode = "auto" if era == ERAS[0] else "legacy"
    return Client(stdio(*arguments) if kind == "stdio" else ENDPOINT, mode=mode)


def known(result):
    """The structured content of a tool's result, which equals its text."""
    check(not result.is_error, result.content)
    check(json.loads(result.content[0].text) == result.structured_content, result)
    return result.structured_content


async def walk(kind, era):
    """The steps of every client: initialise, list, call, read, get prompts, and be refused."""
    async with client(kind, era) as session:
        check(session.protocol_version == era, kind, session.protocol_version)
        check(session.server_info.name == "fitiq-mock" and session.instructions, session.server_info)
        tools = (await session.list_tools()).tools
        names = [tool.name for tool in tools]
        check("verdicts" in names and "verify" not in names and len(names) == 10, names)
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            check(tool.annotations.read_only_hint != tool.annotations.destructive_hint or tool.name == "clock", tool.name)
        call = session.call_tool
        world = known(await call("world", {"action": "make", "scenario": "limit-reached", "clock": "manual"}))
        here = {"world": world["id"]}
        known(await call("fault", {"action": "set", "fault": {"name": "down", "on": "any", "status": 503}, **here}))
        request = urllib.request.Request(
            world["url"] + "/api/v1/goals",
            headers={"Authorization": "Bearer " + world["token"], "X-API-Key": world["api_key"]})
        try:
            await asyncio.to_thread(urllib.request.urlopen, request)
        except urllib.error.HTTPError as refused:
            check(refused.code == 503, refused)
        entries = known(await call("traffic", here))["entries"]
        check(len(entries) == 1 and entries[0]["response"]["status"] == 503, entries)
        why = known(await call("explain", {"number": entries[0]["number"], **here}))
        check(any("'down'" in reason for reason in why["because"]) and why["faults"][0]["name"] == "down", why)
        found = known(await call("wait", {"for": {"status": "503"}, **here}))
        check(found["entry"]["number"] == entries[0]["number"], found)
        check(known(await call("clock", {"advance": "90s", **here}))["mode"] == "manual")
        check(known(await call("verdicts", here))["has_connected"] is True)
        check(known(await call("state", {"action": "export", **here}))["name"] == "limit-reached")
        check(known(await call("socket", {"action": "list", **here})) == {"sockets": []})
        check(known(await call("scenario", {"action": "check", "text": "name: x\nfoo: 1\n"}))["ok"] is False)
        # Pages lead through the whole list, and each is short.
        listed, cursor = [], {}
        while True:
            page = await call("scenario", {"action": "list", "max_bytes": 2000, **cursor})
            check(len(page.content[0].text.encode()) <= 2000, page)
            listed += [scenario["name"] for scenario in known(page)["scenarios"]]
            if "next_cursor" not in page.structured_content:
                break
            cursor = {"cursor": page.structured_content["next_cursor"]}
        check(len(listed) == len(set(listed)) > 20, listed)
        known(await call("world", {"action": "delete", **here}))
        # A refusal is a tool result, so that a model can correct its call.
        for name, arguments, words in [
            ("world", {"action": "mak"}, "make"), ("world", {}, "action"), ("clock", {"advnce": "1s"}, "advance"),
            ("traffic", {"world": "none"}, "404"), ("wait", {"for": {"status": "418"}, "within": "10ms"}, "408"),
            ("verify", {}, "Ask the operator to add one"), ("fault", {"action": "clear", "name": "no"}, "404"),
        ]:
            result = await call(name, arguments)
            check(result.is_error and words in result.content[0].text, name, arguments, result)
        try:
            await call("rm", {})
            check(False, "there is a tool rm")
        except MCPError as error:
            check(error.code == -32602, error)
        resources = (await session.list_resources()).resources
        check({"fitiq-mock://obligations", "fitiq-mock://scenario-schema"} <= {str(r.uri) for r in resources})
        check((await session.list_resource_templates()).resource_templates)
        text = ""
        uri = "fitiq-mock://scenario-schema"
        while uri:
            piece = (await session.read_resource(uri)).contents[0].text
            check(len(piece.encode()) <= 8000, uri, len(piece))
            piece, _, rest = piece.partition("\nIt continues at ")
            text, uri = text + piece, rest.strip()
        check(json.loads(text)["type"] == "object")
        obligation = (await session.read_resource("fitiq-mock://obligations/ids/lowercase")).contents[0].text
        check("advice: " in obligation, obligation)
        prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
        check(prompts == ["keep-the-contract", "reproduce-bug"], prompts)
        prompt = await session.get_prompt("reproduce-bug", {"bug": "goals vanish"})
        check("goals vanish" in prompt.messages[0].content.text, prompt)
    print(f"{kind} {era}: all of it")


async def two_at_once():
    """One client's wait blocks neither its own other calls nor another client."""
    async with client("stdio", ERAS[0], "--url", URL) as one, client("http", ERAS[0]) as two:
        world = known(await one.call_tool("world", {"action": "make"}))
        here = {"world": world["id"]}
        waiting = asyncio.create_task(one.call_tool("wait", {"for": {"kind": "note"}, "within": "30s", **here}))
        known(await one.call_tool("verdicts", here))
        known(await two.call_tool("world", {"action": "mark", "name": "here", **here}))
        check(known(await waiting)["entry"]["kind"] == "note")
        waiting = asyncio.create_task(two.call_tool("wait", {"for": {"text": "never"}, "within": "30s", **here}))
        await asyncio.sleep(0.2)
        # In this revision a client that abandons its response cancels it; earlier ones keep it open.
        waiting.cancel()
        known(await two.call_tool("world", {"action": "delete", **here}))
    print("two clients at once")


async def long_runs():
    """verify and explore: progress, the answer, cancellation."""
    command = f"{sys.executable} -c 'import os, urllib.request as u; u.urlopen(os.environ[\"FITIQ_MOCK_URL\"] + \"/health\")'"
    async with client("stdio", ERAS[0], "--command", command) as session:
        check(len((await session.list_tools()).tools) == 12)
        told = []

        async def progress(done, total, message):
            told.append((done, message))

        result = known(await session.call_tool("verify", {"scenarios": ["default"]}, progress_callback=progress))
        check(result["exit_code"] == 4 and result["has_connected"] is False, result)
        check(told and told == sorted(told) and "scenario 1 of 1" in told[0][1], told)
        refused = await session.call_tool("verify", {"scenarios": ["no-such-scenario"]})
        check(refused.is_error and "no-such-scenario" in refused.content[0].text, refused)
    for era in ERAS:
        async with client("stdio", era, "--command", "sleep 600") as session:
            begun = asyncio.Event()

            async def progress(done, total, message):
                begun.set()

            run = asyncio.create_task(
                session.call_tool("verify", {"scenarios": ["default"]}, progress_callback=progress))
            await asyncio.wait_for(begun.wait(), 30)
            run.cancel()
            known(await session.call_tool("world", {"action": "list"}))
    print("runs: progress, refusal, cancellation")


async def with_fastmcp():
    async with FastClient(ENDPOINT) as session:
        check(len(await session.list_tools()) == 10)
        result = await session.call_tool("verdicts", {})
        check(result.structured_content["counts"], result)
        check(await session.list_resources() and await session.list_prompts())
    print("fastmcp")


def raw(body, **fields):
    """The status and the JSON of a message that the SDK would not send."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **fields}
    request = urllib.request.Request(ENDPOINT, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def refusals():
    def meta(version):
        return {"_meta": {"io.modelcontextprotocol/protocolVersion": version,
                          "io.modelcontextprotocol/clientCapabilities": {}}}

    def message(method, params=None, **more):
        return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}, **more}).encode()

    fields = {"MCP-Protocol-Version": ERAS[0], "Mcp-Method": "tools/list"}
    status, answer = raw(message("tools/list", meta("1900-01-01")), **fields)
    check(status == 400 and answer["error"]["code"] == -32022 and ERAS[0] in answer["error"]["data"]["supported"], answer)
    status, answer = raw(message("tools/list", meta(ERAS[0])), **{**fields, "Mcp-Method": "tools/call"})
    check(status == 400 and answer["error"]["code"] == -32020, status, answer)
    status, answer = raw(message("tools/lost", meta(ERAS[0])), **{**fields, "Mcp-Method": "tools/lost"})
    check(status == 404 and answer["error"]["code"] == -32601, status, answer)
    status, answer = raw(message("initialize", {"protocolVersion": "2024-11-05"}))
    check(status == 200 and answer["result"]["protocolVersion"] == ERAS[1], answer)
    status, answer = raw(message("tools/list"))
    check(status == 400 and answer["error"]["code"] == -32020, answer)
    for body, code in [(b"{", -32700), (b"[]", -32600), (b"{}", -32600), (b'{"jsonrpc":"2.0","id":{},"method":"x"}', -32600)]:
        status, answer = raw(body)
        check(status == 400 and answer["error"]["code"] == code and "id" not in answer, body, answer)
    status, answer = raw(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    check(status == 202 and answer is None, status, answer)
    check(raw(message("ping"), Origin="https://evil.example")[0] == 403, "another site is refused")
    check(raw(message("ping"), Host="evil.example")[0] == 403, "another host is refused")
    check(raw(message("ping"), Via="1.1 proxy")[0] == 403, "a proxy is refused")
    check(raw(b" " * (1 << 20) + b"{}")[0] == 413, "a large body is refused")
    # On stdio an overlong line is refused, and the next one is served.
    lines = b"x" * 3_000_000 + b"\n" + message("ping") + b"\n"
    done = subprocess.run([PROGRAM, "mcp", "--url", URL], input=lines, capture_output=True, timeout=60)
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    check(first["error"]["code"] == -32600 and second == {"jsonrpc": "2.0", "id": 7, "result": {}}, first, second)
    check(done.returncode == 0, done)
    print("refusals")


async def main():
    for kind in ["stdio", "http"]:
        for era in ERAS:
            await walk(kind, era)
    await two_at_once()
    await with_fastmcp()
    await asyncio.to_thread(refusals)
    await long_runs()


asyncio.run(main())
