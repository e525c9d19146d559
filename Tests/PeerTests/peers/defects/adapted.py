"""The adapter of Fixtures/adapters/python for the clients of this folder: `drive(CLIENT)` in place of its `main`."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../Fixtures/adapters/python"))

from adapter import main as drive  # noqa: E402, F401
from fitiq_client import Client  # noqa: E402, F401
