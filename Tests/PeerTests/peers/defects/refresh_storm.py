"""A refresh storm: the client repeats a refused refresh token, twice a second and more, for over a minute.

It mistakes the refusal for an expired access token, and so refreshes again.
"""

from adapted import Client, drive


class RefreshStorm(Client):
    async def _exchange_refresh_token(self):
        for _ in range(200):
            if not self.refresh_token:
                break
            answer = await self._request("POST", "/auth/refresh", {"refresh_token": self.refresh_token})
            if answer.is_success:
                self.refresh_token = answer.data.get("refresh_token")
                return answer.data.get("access_token")
            await self.clock.sleep(0.4)


if __name__ == "__main__":
    drive(RefreshStorm)
