"""Why something did not come about."""


class Failure(Exception):
    """What was asked for did not come about; the kind and the message are for the user."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind
        self.message = message
