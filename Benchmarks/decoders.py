#!/usr/bin/env python3
"""Counts the decoders' instructions for a byte of inputs of 16 KiB and 64 KiB, with valgrind's callgrind.

  decoders.py PROGRAM [NAME]     PROGRAM is decoder-work; only inputs whose names begin with NAME

Exits with 1 if a byte of the longer input takes a fifth more, because the work is not linear then, or if a byte takes
more than the bound of its decoder. Unlike times, instruction counts repeat even on a busy machine.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

RATIO = 1.2
BYTES = 16 * 1024
# The most instructions for a byte of any input, by the beginning of its name: about a tenth more than the worst
# measured.
BOUNDS = {
    "HTTP/1.1": 1_200, "WebSocket": 1_050, "JSON": 680, "YAML": 3_700, "scenario": 2_650, "HAR": 850, "journal": 650,
    "redaction": 400, "redaction beside long secrets": 2_000, "base64": 32, "percent-encoding": 155, "URL": 5,
    "multipart": 70, "meal": 1_000,
}


def counted(program, names):
    """Yields each call of the measured function: its label, its name and its instructions."""
    with tempfile.TemporaryDirectory() as folder:
        measured = "*measuredDecodeyyF"
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={measured}", f"--dump-after={measured}"]
        # Without its debugging information, which valgrind may not be able to read.
        subprocess.run(["strip", "-g", "-o", f"{folder}/program", program], check=True)
        command += [f"--callgrind-out-file={folder}/out", f"--log-file={folder}/log", f"{folder}/program", *names]
        environment = {"PATH": os.environ["PATH"], "SWIFT_DETERMINISTIC_HASHING": "1"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{open(f'{folder}/log').read()}decoders: {program} ended with {done.returncode}")
        for number, line in enumerate(done.stdout.splitlines(), 1):
            rows = pathlib.Path(f"{folder}/out.{number}").read_text().splitlines()
            yield *line.split("\t"), next(int(row.split()[1]) for row in rows if row.startswith("totals:"))


def main():
    short, decoders, failures = {}, collections.defaultdict(list), []
    for label, name, count in counted(sys.argv[1], sys.argv[2:]):
        if label == "n":
            short[name] = count
        elif label == "4n":
            decoder, ratio, most = name.split(",")[0], count / short[name] / 4, max(short[name] / BYTES, count / BYTES / 4)
            decoders[decoder].append((most, ratio, name))
            if ratio > RATIO:
                failures.append(f"{name}: four times the bytes take {ratio * 4:.1f} times the instructions")
            if most > BOUNDS.get(decoder, 0):
                failures.append(f"{name}: {most:,.0f} instructions for a byte, of {BOUNDS.get(decoder, 0):,}")
    if not decoders:
        sys.exit("decoders: no input has such a name")
    print("| decoder | inputs | instructions for a byte, at most | with | bound | a byte of 64 KiB ÷ of 16 KiB, at most |")
    print("| --- | ---: | ---: | --- | ---: | ---: |")
    for decoder, rows in decoders.items():
        most, _, name = max(rows)
        what = name.partition(", ")[2].replace("|", "\\|")
        print(f"| {decoder} | {len(rows)} | {most:,.0f} | {what} | {BOUNDS.get(decoder, 0):,} | {max(row[1] for row in rows):.2f} |")
    for failure in failures:
        print(f"decoders: {failure}", file=sys.stderr)
    sys.exit(bool(failures))


main()
