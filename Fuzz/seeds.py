"""Creates the first inputs of each target from Fixtures: `python3 Fuzz/seeds.py FOLDER`."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
FIXTURES = ROOT / "Fixtures"
FILES = {
    "http1": "http1/*/*.http", "json": "data/*.json", "har": "sessions/**/*.har", "meal": "data/*.tsv",
    "yaml": "*scenarios/**/*.yaml", "scenario": "*scenarios/**/*.yaml",
}


def bytes_of(text):
    """`8185 00000000 "Hello"*2` in the notation of Fixtures/websocket/README.md."""
    result = b""
    for quoted, digits, count in re.findall(r'(?:"([^"]*)"|([0-9a-f]+))(?:\*(\d+))?', text):
        result += (bytes.fromhex(digits) if digits else quoted.encode()) * int(count or 1)
    return result


def seeds(target):
    yield from (file.read_bytes() for file in sorted(FIXTURES.glob(FILES.get(target, "nothing"))))
    yield from (file.read_bytes() for file in sorted((FIXTURES / "fuzz").glob(f"{target}-*")))
    if target == "websocket":
        for file in sorted(FIXTURES.glob("websocket/*/*.txt")):
            for line in file.read_text().splitlines():
                if " | " in line:
                    # The first byte chooses the role and the terms of compression.
                    yield from (bytes([first]) + bytes_of(line.split(" | ")[1]) for first in range(4))
        # "Hello", and once more with a reference to the first (RFC 7692 §7.2.3.1 and §7.2.3.2).
        for hello in "c107 f248cdc9c90700 c105 f200110000", "c187 00000000 f248cdc9c90700 c185 00000000 f200110000":
            yield from (bytes([first]) + bytes.fromhex(hello) for first in range(4))
        # Many blocks, each marked as the last one, unmasked and with a key of zeros.
        blocks = bytes.fromhex("0300") * 20_000 + b"\0"
        for first, mask in ((2, b"\0" * 4), (3, b"")):
            length = len(blocks).to_bytes(2, "big")
            yield bytes([first, 0xC1, 0xFE if mask else 0x7E]) + length + mask + blocks
    if target == "url":
        for page in sorted((ROOT / "docs").glob("*.md")):
            yield from (url.encode() for url in re.findall(r"https?://[^\s`)\"']+", page.read_text()))
    if target == "journal":
        for file in sorted((ROOT / "docs").glob("*.md")):
            yield from (line.encode() + b"\n" for line in re.findall(r'^\{"n":.*\}$', file.read_text(), re.M))


def main():
    for target in ("http1", "websocket", "json", "yaml", "url", "meal", "pem", "har", "journal", "scenario", "mcp"):
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds(target)):
            (folder / f"seed-{number}").write_bytes(seed)


if __name__ == "__main__":
    main()
