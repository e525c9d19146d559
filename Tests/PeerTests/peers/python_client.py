"""The client of Fixtures/adapters/python in its own app, by the system's clock: the part that the suite drives."""

import asyncio
import os
import sys

import facts

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Fixtures/adapters/python"))

from fitiq_client import Client  # noqa: E402


async def until(client, condition):
    async with asyncio.timeout(20):
        while client.is_busy or not condition():
            await asyncio.sleep(0.02)


async def main():
    server = facts.Server(sys.argv[1], sys.argv[2])
    token = server.token("python-client")
    # The first token is refused, and the client's hook is asked for another.
    client = Client(server.url, server.ws_url, "stale", server.api_key, refresh=lambda: token)
    client.start_consultation("nutritionist")
    client.send("How much protein do I need?")
    await until(client, lambda: len(client.transcript) == 2)
    question, answer = client.transcript
    assert question == {"role": "user", "text": "How much protein do I need?", "is_complete": True}, question
    assert answer["role"] == "assistant" and answer["text"] and answer["is_complete"], answer
    client.log_meal("2 eggs", "breakfast")
    client.create_goal("Run 5 km", "By summer.")
    await until(client, lambda: client.goals)
    assert [(meal["status"], meal["calories"]) for meal in client.meals] == [("completed", 140)], client.meals
    client.chat_about_goal(client.goals[0]["id"])
    await until(client, lambda: client.connection == "connected")
    assert client.consultation == client.goals[0]["conversation"], client.goals
    client.disconnect()
    await until(client, lambda: client.connection == "disconnected")
    assert client.problems == [], client.problems
    await client.close()


asyncio.run(main())
