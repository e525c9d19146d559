"""The part sql: state files that another program changed, one SQL statement at a time.

A server either refuses such a file with a message and leaves it unchanged, or serves it. In that case worlds can be
created, copied and used, and the next server reads the saved state.
"""

import sqlite3

from boundaries import INTEGERS
from numbers_part import use_world
from running import Client, NotReady, running

MEMORY = 1_000
_NUMBERS = [number for number in INTEGERS if number.lstrip("-").isdigit() and abs(int(number)) <= 2**63 - 1] + ["-9223372036854775808"]
_VALUES = ["NULL", "''", "'x'", "x'00ff'", "1.5", "1e300", "'9223372036854775808'"]
_TEXTS = ["NULL", "''", "'x'", "x'00ff'", "5", "'w0'", "'w01'", "'default'", "'é'", "char(0)", "replace(hex(zeroblob(100)), '00', '[')"]
_JSON = ["''", "'{}'", "'[]'", "'5'", "'{'", "'null'", "x'ff00'", "'{\"id\":5}'", "'{\"users\":[]}'", "'{\"name\":\"a\",\"users\":[]}'",
         "replace(hex(zeroblob(3000)), '00', '[')", "char(65279) || head"]
# One statement each; all run alone, and random pairs of them together.
STATEMENTS = (
    [f"UPDATE server SET serial = {value}" for value in _NUMBERS + _VALUES]
    + [f"UPDATE world SET number = {value} WHERE name = 'w1'" for value in _NUMBERS + _VALUES]
    + [f"UPDATE world SET time = {value} WHERE name = 'w1'" for value in _NUMBERS + _VALUES]
    + [f"UPDATE OR REPLACE world SET name = {value} WHERE name = 'w1'" for value in _TEXTS]
    + [f"UPDATE OR REPLACE world SET name = 'w{value}' WHERE name = 'w1'" for value in _NUMBERS]
    + [f"UPDATE world SET head = {value} WHERE name = 'w1'" for value in _JSON + _VALUES]
    + [f"UPDATE world SET scenario = {value} WHERE name = 'w1'" for value in _JSON[:-1] + _VALUES]
    + [f"UPDATE world SET head = json_set(head, '$.{name}', {value}) WHERE name = 'w1'"
       for name in ["issued_ids", "seed", "token_lifetime"] for value in _NUMBERS + _VALUES[:3]]
    + [f"UPDATE OR REPLACE entity SET {column} = {value} WHERE list = '{name}'"
       for column in ["world", "list", "owner", "id"] for name in ["users", "goals", "messages"] for value in _TEXTS]
    + [f"UPDATE entity SET data = {value} WHERE list = '{name}'"
       for name in ["users", "goals", "consultations", "messages", "meal_logs"] for value in _JSON[:-1] + _VALUES]
    + [f"UPDATE entity SET data = json_set(data, '$.{name}', {value}) WHERE list = 'goals'"
       for name in ["progress", "target_value", "current_value", "created_at", "target_date"] for value in _NUMBERS]
    + [f"UPDATE entity SET number = {value} WHERE number = (SELECT max(number) FROM entity)" for value in _NUMBERS]
    + ["DELETE FROM server", "INSERT INTO server VALUES (7)", "DELETE FROM world", "DELETE FROM entity", "DROP TABLE server",
       "DROP TABLE world", "DROP TABLE entity", "DELETE FROM entity WHERE list = 'users'", "DELETE FROM entity WHERE list = 'consultations'",
       "DELETE FROM world WHERE name = 'w1'", "ALTER TABLE world ADD COLUMN more TEXT", "ALTER TABLE world DROP COLUMN scenario",
       "ALTER TABLE entity RENAME TO entities", "PRAGMA user_version = 0", "PRAGMA user_version = -1", "PRAGMA user_version = 2147483647",
       "PRAGMA application_id = 0", "CREATE TABLE more (n)", "CREATE VIEW v AS SELECT * FROM world",
       "CREATE TRIGGER t AFTER UPDATE ON server BEGIN DELETE FROM world; END",
       "CREATE TRIGGER t BEFORE UPDATE ON server BEGIN SELECT RAISE(FAIL, 'no'); END"])
SHORT_ROUNDS, PAIRS = 30, 200


def attack(part, folder):
    original = make_state(part.settings, folder)
    stride = max(1, len(STATEMENTS) // SHORT_ROUNDS) if part.settings.short else 1
    rounds = len(STATEMENTS) + PAIRS
    for round_number in part.numbers(rounds=rounds, short=SHORT_ROUNDS):
        number = round_number if part.settings.only is not None else round_number * stride
        numbers = part.random(number)
        # The numbers first, because an SQL schema does not check them.
        chosen = [STATEMENTS[number]] if number < len(STATEMENTS) else numbers.sample(STATEMENTS, 2)
        file = folder / f"state-{number}.db"
        file.write_bytes(original)
        try:
            change(file, chosen)
        except sqlite3.Error:
            part.count("not SQL")
            continue
        try:
            outcome, problem = serve(part.settings, folder, file)
        except Exception as error:
            outcome, problem = "trouble", f"{type(error).__name__}: {error}"
        part.count(outcome)
        if problem:
            part.fail(number, f"{'; '.join(chosen)}: {problem}", file.read_bytes() if file.exists() else None, "db")
        for left in folder.glob(file.name + "*"):
            left.unlink()
        part.progress(f"{part.inputs} files")


def make_state(settings, folder):
    """A state file of a default world and another one, with an entity of each kind."""
    file = folder / "original.db"
    with running(settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", "--state", file, folder=folder) as server:
        client = Client(server)
        world = client.ask("POST", "/__admin/worlds", {"clock": "manual", "scenario": {"name": "kept", "users": [{
            "id": "anna", "goals": [{"title": "Run"}], "meal_logs": [{"text": "2 eggs", "meal_type": "lunch"}],
            "consultations": [{"persona": "nutritionist", "messages": [{"user": "Hello"}, {"assistant": "Hi"}]}]}]}})
        client.ask("POST", f"/__admin/worlds/{world['id']}/clock", {"advance": "1h"})
        client.ask("POST", "/api/v1/goals", {"title": "Swim", "description": "", "targetDate": "2030-01-01T00:00:00Z"})
        client.close()
        assert server.stop() == 0, server.log()
    database = sqlite3.connect(file)
    database.execute("PRAGMA journal_mode = DELETE")
    database.close()
    return file.read_bytes()


def change(file, statements):
    database = sqlite3.connect(file)
    try:
        for statement in statements:
            database.execute(statement)
        database.commit()
    finally:
        database.close()


def rows(file):
    """The numbers of rows in the tables for which a server writes exactly one."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return database.execute("SELECT (SELECT count(*) FROM world), (SELECT count(*) FROM entity)").fetchone()
    except sqlite3.Error:
        return None
    finally:
        database.close()


def serve(settings, folder, file):
    """Serves a changed file twice; returns the outcome, and the problem, if any."""
    before, data = rows(file), file.read_bytes()
    try:
        with serving(settings, folder, file) as server:
            problem = use(server)
            if problem:
                return "trouble", problem
            status = server.stop()
            if status not in (0, 3):
                return "trouble", f"exit {status} after SIGTERM: {server.log()[-300:]}"
            if status == 3:
                return "served, not saved", None
    except NotReady as refused:
        if refused.status != 2 or len(refused.log) < 40 or refused.is_late:
            return "trouble", f"exit {refused.status}: {refused.log[-500:]}"
        if rows(file) != before:
            return "trouble", f"a file that was refused is another one: {refused.log[-300:]}"
        return "refused", None
    after = rows(file)
    if before and after and (after[0] < before[0] or after[1] < before[1]):
        return "trouble", f"rows are lost without a word: {before} worlds and entities, {after} later"
    try:
        with serving(settings, folder, file) as server:
            problem = use(server)
    except NotReady as refused:
        return "trouble", f"the next server refuses what this one saved: {refused.log[-300:]}"
    return ("trouble", problem) if problem else ("served", None)


def serving(settings, folder, file):
    return running(settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", "--state", file, folder=folder)


def use(server):
    """Uses every world, and creates more."""
    client = Client(server)
    try:
        for world in client.ask("GET", "/__admin/worlds")["worlds"]:
            for path in ["state", "clock", "requests"]:
                status, data = client.send("GET", f"/__admin/worlds/{world['id']}/{path}")
                if status != 200:
                    return f"GET {path} of {world['id']} is answered with {status}: {data[:200]!r}"
        holder = type("Holder", (), {"server": server, "client": client})
        for _ in range(2):
            problem = use_world(holder, client.ask("POST", "/__admin/worlds", {}))
            if problem:
                return problem
        client.ask("POST", "/api/v1/goals", {"title": "Row", "description": "", "targetDate": "2030-01-01T00:00:00Z"})
        return server.trouble(MEMORY)
    finally:
        client.close()
