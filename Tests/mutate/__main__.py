"""Changes one token of Sources at a time, and runs the module's own tests; scripts/mutate describes its options."""

import argparse
import collections
import pathlib
import random
import re
import shutil
import subprocess
import sys

import changes
import running

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build/mutate"
EQUIVALENT = pathlib.Path(__file__).parent / "equivalent.tsv"


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/mutate", description="Changes tokens of Sources, one at a time, and counts what tests notice.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="only changes of these modules are tried")
    parser.add_argument("--seed", type=int, default=1, help="decides what is changed; 1 without")
    parser.add_argument("--count", type=int, default=12, help="so many changes of each module; 12 without")
    parser.add_argument("--only", default="", metavar="TEXT", help="changes files whose path contains it")
    parser.add_argument("--again", action="store_true", help="only changes that passed unnoticed the last time")
    return parser.parse_args()


def copy_package():
    """Copies the files that git tracks or would add, and SwiftPM's checkouts; skips unchanged ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    kept = {name for name in listed.stdout.split("\0") if (ROOT / name).is_file()} | {"Package.resolved"}
    for name in kept:
        if not name.startswith("Sources/") or not name.endswith(".swift"):
            put(COPY / name, (ROOT / name).read_bytes(), (ROOT / name).stat().st_mode)
    for folder in ["Sources", "Tests"]:
        for file in (COPY / folder).rglob("*"):
            name = str(file.relative_to(COPY))
            if file.is_file() and name not in kept and file.name != changes.GENERATED:
                file.unlink()
    for name in ["checkouts", "repositories", "artifacts", "workspace-state.json"]:
        fetched, target = ROOT / ".build" / name, COPY / ".build" / name
        if fetched.is_dir() and not target.exists():
            shutil.copytree(fetched, target, symlinks=True)
        elif fetched.is_file() and not target.exists():
            put(target, fetched.read_bytes())
    return [
        name for name in kept
        if name.startswith("Sources/") and name.endswith(".swift") and ".docc/" not in name]


def put(path, content, mode=0o644):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)


def choose(files, settings):
    """The same changes of a module for a seed, independent of other modules."""
    found = collections.defaultdict(list)
    for name in sorted(name for name in files if settings.only in name):
        text = (ROOT / name).read_text()
        for change in changes.of(name, text):
            found[change.module].append(change)
    chosen = []
    for module, all_of_it in sorted(found.items()):
        draw = random.Random(f"{settings.seed} {module}")
        chosen += draw.sample(all_of_it, min(settings.count, len(all_of_it)))
    for number, change in enumerate(chosen, 1):
        change.number = number
    return chosen


def build(files, chosen):
    """One build with all changes, each inactive. Changes that the compiler refuses are dropped and remembered."""
    refused_file = COPY / "refused.tsv"
    refused = set(refused_file.read_text().splitlines()) if refused_file.exists() else set()
    while True:
        taken = [change for change in chosen if change.key not in refused]
        for name in files:
            put(COPY / name, changes.applied((ROOT / name).read_text(), [c for c in taken if c.file == name]).encode())
        for folder in {"/".join(name.split("/")[:3]) for name in files}:
            module = folder.split("/")[2]
            text = changes.generated(module, [c for c in taken if c.module == module])
            put(COPY / folder / changes.GENERATED, text.encode())
        errors = running.build(COPY)
        if errors is None:
            return taken
        wrong = {change.key for file, line in errors for change in blamed(taken, file, line)}
        if not wrong:
            sys.exit(f"mutate: the build of {COPY} failed without a change that explains it; see {COPY}/build.log")
        print(f"mutate: {len(wrong)} changes do not compile", file=sys.stderr)
        refused |= wrong
        refused_file.write_text("\n".join(sorted(refused)) + "\n")


def blamed(taken, file, line):
    """The changes on this line, or otherwise the last one before it: an expression may span several lines."""
    before = [change for change in taken if change.file == file and change.line <= line]
    last = max((change.line for change in before), default=0)
    return [change for change in before if change.line == last]


def main():
    settings = arguments()
    files = copy_package()
    taken = build(files, choose(files, settings))
    equivalent = {tuple(row.split("\t")[:3]) for row in EQUIVALENT.read_text().splitlines()[1:]}
    modules = {change.module for change in taken}
    unknown = set(settings.modules) - modules
    if unknown:
        sys.exit(f"mutate: no changes of {', '.join(sorted(unknown))}; the modules are {', '.join(sorted(modules))}")

    rows = []
    for module in settings.modules or sorted(modules):
        mine = [change for change in taken if change.module == module]
        tried = [change for change in mine if change.equivalence not in equivalent]
        rows.append((module, try_all(module, tried, settings.again), len(tried), len(mine) - len(tried)))
    report(rows)


def try_all(module, tried, again):
    """The changes that the tests do not notice; a file remembers them."""
    file = COPY / f"unnoticed-{module}.tsv"
    last_time = set(file.read_text().splitlines()) if file.exists() else set()
    awake = [change for change in tried if not again or change.key in last_time]
    seconds = running.clean(COPY, module) if awake else 0
    passed = []
    for change in awake:
        what = running.noticed(COPY, change, seconds)
        print(f"{change}: {what or 'UNNOTICED'}", flush=True)
        if not what:
            passed.append(change)
    file.write_text("".join(change.key + "\n" for change in passed))
    return passed


def report(rows):
    print("\nunnoticed:")
    for change in (change for row in rows for change in row[1]):
        print(f"{change}: {change.text}")
    print(f"\n{'module':16} noticed  of  equivalent")
    table = [(module, tried - len(passed), tried, same) for module, passed, tried, same in rows]
    for module, noticed, tried, same in table + [("all", *(sum(row[i] for row in table) for i in (1, 2, 3)))]:
        print(f"{module:16} {noticed:7} {tried:3} {same:11}  {100 * noticed / max(tried, 1):3.0f} %")


main()
