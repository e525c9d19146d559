"""A refresh storm: a refresh token that is refused is tried again, twice a second and more, for over a minute.

The refusal is taken for an expired access token, and that is what a refresh is for.
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
