"""Accounts: how long a login takes and what a user weighs.

    accounts.py logins --url http://127.0.0.1:PORT --api-key KEY [--rate 20] [--seconds 20]
    accounts.py users --url http://127.0.0.1:PORT --api-key KEY --pid PID [--count 10000]

`logins` registers one account and logs in to it at a steady rate, one connection; it prints the times of the answers.
`users` registers twice as many accounts as it counts: the first half fills the journal, so the growth of the resident
memory during the second half is the users' alone. Give the server a scenario with `accounts: {password_cost: 1}`.
Both print rows of a Markdown table, and exit with 1 if a request fails.
"""

import argparse
import http.client
import json
import sys
import time
import urllib.parse

PASSWORD = "correct horse battery"


class Client:
    def __init__(self, options):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(options.url).netloc)
        self.headers = {"X-API-Key": options.api_key, "Content-Type": "application/json"}

    def post(self, path, body, status):
        self.connection.request("POST", "/api/v1" + path, json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != status:
            sys.exit(f"accounts: POST {path} was answered {answer.status} instead of {status}: {text.decode()}")

    def register(self, number):
        body = {
            "email": f"user-{number}@example.com", "password": PASSWORD, "name": f"User Number {number}",
            "date_of_birth": "1990-04-01",
        }
        self.post("/auth/register", body, 201)


def logins(options):
    client, times = Client(options), []
    client.register(0)
    body = {"email": "user-0@example.com", "password": PASSWORD}
    start = time.monotonic()
    for number in range(options.rate * options.seconds):
        time.sleep(max(0, start + number / options.rate - time.monotonic()))
        sent = time.monotonic()
        client.post("/auth/login", body, 200)
        times.append(time.monotonic() - sent)
    times.sort()
    print(f"| logins, {options.rate} a second | {len(times)} |")
    for name, place in (("p50", len(times) // 2), ("p99", len(times) * 99 // 100), ("max", -1)):
        print(f"| login {name} | {times[place] * 1000:.2f} ms |")


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))


def users(options):
    client = Client(options)
    for number in range(options.count):
        client.register(number)
    before = resident(options.pid)
    for number in range(options.count, 2 * options.count):
        client.register(number)
    print(f"| {options.count} registered users, resident memory each | {(resident(options.pid) - before) / options.count:.0f} bytes |")


parser = argparse.ArgumentParser()
parser.add_argument("part", choices=["logins", "users"])
parser.add_argument("--url", required=True)
parser.add_argument("--api-key", required=True)
parser.add_argument("--pid", type=int)
parser.add_argument("--rate", type=int, default=20)
parser.add_argument("--seconds", type=int, default=20)
parser.add_argument("--count", type=int, default=10_000)
arguments = parser.parse_args()
{"logins": logins, "users": users}[arguments.part](arguments)
