"""A retry that loses the body: the first attempt reads the body to its end, where the next one begins.

It shows only when a request fails once: the second one has an empty object as its body, and is refused.
"""

from adapted import Client, drive


class RetryWithoutBody(Client):
    async def _attempt(self, method, path, body, token):
        answer = await super()._attempt(method, path, body, token)
        if body is not None and (answer is None or answer.status >= 500):
            body.clear()
        return answer


if __name__ == "__main__":
    drive(RetryWithoutBody)
