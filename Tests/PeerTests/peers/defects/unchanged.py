"""No mistake: the client unchanged."""

from adapted import Client, drive

if __name__ == "__main__":
    drive(Client)
