"""No mistake: the client as it is."""

from adapted import Client, drive

if __name__ == "__main__":
    drive(Client)
