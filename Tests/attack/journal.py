"""A journal for the attacks: a short story of a client, on a manual clock, so that it is the same each time."""

import contextlib

from frames import TEXT, frame, handshake
from running import Client, running


def saved(settings, folder):
    """The story's journal from GET /__admin/journal."""
    options = ["--seed", "1", "--clock", "manual", "--scenario", "established-account"]
    with running(settings, "serve", *options, folder=folder) as server:
        client = Client(server)
        with contextlib.closing(client):
            created = client.send("POST", "/api/v1/consultations", {"persona": "general_wellness"})[1]
            id = client.ask("GET", "/api/v1/consultations")["data"]["consultations"][0]["id"]
            client.send("POST", "/api/v1/goals", {"title": "Swim", "description": "", "targetDate": "2030-01-01T00:00:00Z"})
            client.send("POST", "/api/v1/meal-logs/natural", {"raw_input": "2 eggs", "meal_type": "lunch"})
            client.send("GET", "/api/v1/goals/NONE")
            client.send("GET", "/api/v1/nothing", headers={"Authorization": "Bearer x"})
            talk(server, client, id)
            text = client.send("GET", "/__admin/journal")[1]
        assert created and text.count(b"\n") > 10, "the story left no journal"
        server.stop()
        return text.replace(b":%d" % server.port, b":8080")


def talk(server, client, id):
    """A chat over the consultation's socket, until its answer is complete."""
    fields = [f"{name}: {value}" for name, value in server.credentials.items()]
    with contextlib.closing(server.connect()) as socket:
        socket.sendall(handshake(f"/api/v1/consultations/{id}/ws", server.port, fields))
        received = socket.recv(65_536)
        socket.sendall(frame(TEXT, b'{"type":"message","content":"What should I eat?"}') + frame(TEXT, b'{"type":"ping"}'))
        while b'"pong"' not in received:
            received += socket.recv(65_536)
        client.ask("POST", "/__admin/clock", {"advance": "30s"})
        while b"stream_complete" not in received:
            received += socket.recv(65_536)
