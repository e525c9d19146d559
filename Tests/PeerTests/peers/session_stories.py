"""Users' stories, played by the client of Fixtures/adapters/python: once for recording, and then against replays.

    session_stories.py READY_FILE PROGRAM STORY

The client keeps the contract, and each story checks what its user sees, so a replay that serves anything else fails.
"""

import asyncio
import json
import os
import sys

import facts
from facts import expect, expect_equal

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Fixtures/adapters/python"))

from fitiq_client import Client  # noqa: E402

SECONDS = 40
QUESTION = "How much protein do I need?"


class App:
    """One start of an app: the actions and the view of its user."""

    def __init__(self, server, **options):
        token = server.default_token
        self.client = Client(server.url, server.ws_url, token, server.api_key, refresh=lambda: token, **options)

    async def __aenter__(self):
        return self.client

    async def __aexit__(self, *trouble):
        if trouble[0] is None:
            self.client.disconnect()
            await until(self.client, lambda: self.client.connection == "disconnected")
        await self.client.close()


async def until(client, condition):
    try:
        async with asyncio.timeout(SECONDS):
            while client.is_busy or not condition():
                await asyncio.sleep(0.02)
    except TimeoutError:
        shown = (client.connection, client.transcript, client.meals, client.goals, client.problems)
        raise AssertionError(f"the client did not come so far; it shows {facts.shortened(shown)}") from None


async def ask(client, question):
    """The complete answer to a question, as the user sees it."""
    count = len(client.transcript) + 2
    client.send(question)
    await until(client, lambda: len(client.transcript) == count)
    answer = client.transcript[-1]
    expect(answer["role"] == "assistant" and answer["text"] and answer["is_complete"], "a whole answer", answer)
    return answer["text"]


async def chat_with(client, persona, *questions):
    client.start_consultation(persona)
    await until(client, lambda: client.connection == "connected")
    for question in questions:
        await ask(client, question)


async def chat(server):
    """Two questions in `user_message`, and two in `message` by an app that follows another guide."""
    async with App(server) as client:
        await chat_with(client, "nutritionist", QUESTION, "And carbohydrates? 🥖")
        expect_equal(client.problems, [], "the problems")
    async with App(server, guide="consultation-websocket") as client:
        await chat_with(client, "fitness_coach", "How often should I run?", "And rest?")
        expect_equal(client.problems, [], "the problems")


async def conflict(server):
    """The consultation exists already: the app continues it with its history. The server begins as `conflict`."""
    async with App(server) as client:
        await chat_with(client, "nutritionist", "And after training?")
        shown = [message["text"] for message in client.transcript]
        expect_equal((shown[0], len(shown)), (QUESTION, 4), "the first message, and how many there are")
        expect_equal(client.problems, [], "the problems")


async def meals(server):
    """A meal with known foods, and one without, while a chat is open."""
    async with App(server) as client:
        await chat_with(client, "nutritionist")
        client.log_meal("2 eggs and toast", "breakfast")
        await until(client, lambda: client.meals[0]["status"] != "processing")
        client.log_meal("zxqv", "lunch")
        await until(client, lambda: client.meals[-1]["status"] != "processing")
        shown = [(meal["text"], meal["status"], meal["calories"], meal["error"]) for meal in client.meals]
        expect_equal(shown[0], ("2 eggs and toast", "completed", 290, None), "the first meal")
        expect(shown[1][:3] == ("zxqv", "failed", None) and shown[1][3], "a failed meal that says why", shown[1])


async def dropped(server):
    """The connection breaks in the middle of an answer: the app reconnects, and reads the history.

    The server begins as `drop-mid-stream`.
    """
    async with App(server) as client:
        await chat_with(client, "nutritionist", QUESTION)
        expect_equal(len(client.transcript), 2, "the number of messages")
        await ask(client, "And carbohydrates?")
        expect_equal(client.problems, [], "the problems")


async def goals(server):
    """A goal, the chat about it, and a second look at both."""
    async with App(server) as client:
        client.create_goal("Run 5 km", "By summer.")
        await until(client, lambda: client.goals)
        client.chat_about_goal(client.goals[0]["id"])
        await until(client, lambda: client.connection == "connected")
        await ask(client, "Where do I begin?")
        client.load_goals()
        await until(client, lambda: client.goals[0]["conversation"])
        expect_equal(client.goals[0]["conversation"], client.consultation, "the goal's conversation")
        expect_equal(client.problems, [], "the problems")


async def limit(server):
    """Ten chats are open, and the user wants another. The server begins as `limit-reached`."""
    async with App(server) as client:
        client.start_consultation("general_wellness")
        await until(client, lambda: client.problems)
        expect_equal([problem["kind"] for problem in client.problems], ["too_many"], "the problems")
        # The user insists, but the app does not.
        client.start_consultation("general_wellness")
        expect_equal(len(client.problems), 2, "the number of problems")


async def archive(server):
    """Archives a chat; the next one with the same coach is new."""
    async with App(server) as client:
        await chat_with(client, "nutritionist", QUESTION)
        first = client.consultation
        # The app leaves before, because the frames to open sockets of an archived chat have no fixed place in a
        # session.
        client.disconnect()
        await until(client, lambda: client.connection == "disconnected")
        client.archive()
        await until(client, lambda: True)
        await chat_with(client, "nutritionist", "And carbohydrates?")
        expect(client.consultation != first and len(client.transcript) == 2, "a chat of its own", client.transcript)
        expect_equal(client.problems, [], "the problems")


async def template(server):
    """The coach creates templates while it answers. The server begins as `templates`."""
    async with App(server) as client:
        await chat_with(client, "wellness_specialist", "Good morning", "What do I eat?", "And training?")
        expect_equal(len(client.transcript), 6, "the number of messages")
        expect_equal(client.problems, [], "the problems")


async def guide(server):
    """A meal, with a server in the mode `meal-log-websocket` and an app that follows this guide."""
    async with App(server, guide="meal-log-websocket") as client:
        await chat_with(client, "nutritionist")
        client.log_meal("2 eggs", "breakfast")
        await until(client, lambda: client.meals[0]["status"] != "processing")
        shown = [(meal["text"], meal["status"], meal["calories"]) for meal in client.meals]
        expect_equal(shown, [("2 eggs", "completed", 140)], "the meals")
        expect_equal(client.problems, [], "the problems")


STORIES = {
    function.__name__: function
    for function in [chat, conflict, meals, dropped, goals, limit, archive, template, guide]
}


def expect_nothing_broken(server):
    """Checks that the client kept its obligations: replayed sessions are judged as well."""
    verdicts = json.loads(server.fetch(f"{server.admin_url}/verdicts")[1])
    broken = [verdict for verdict in verdicts["verdicts"] if verdict["verdict"] == "broken"]
    expect_equal(broken, [], "the broken obligations")
    expect(any(verdict["verdict"] == "kept" for verdict in verdicts["verdicts"]), "some kept ones", verdicts)


async def tell(ready_file, program, story):
    server = facts.Server(ready_file, program)
    await STORIES[story](server)
    expect_nothing_broken(server)


if __name__ == "__main__":
    asyncio.run(tell(*sys.argv[1:]))
