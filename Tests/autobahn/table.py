"""The results of the cases, as tables in Markdown."""

import collections
import re

import cases

MARK = "<!-- `scripts/autobahn --write` writes everything below this line. -->"
GOOD = {"OK", "NON-STRICT", "INFORMATIONAL"}
# Why a case is not simply OK; a case without a reason fails.
REASONS = {
    "7.1.6": "a close frame directly after a large message; the suite does not say whether the message must be echoed",
    "7.13.1": "a close frame with the code 5000, which no specification defines",
    "7.13.2": "a close frame with the code 65535, which no specification defines",
}


def of(results, played):
    """The failures, and the lines of the tables."""
    names, chapters = cases.load()[1:]
    groups = collections.defaultdict(list)
    for case in played:
        groups[cases.group(case)].append(case)
    lines = ["| group | cases | server | client |", "| --- | --: | --- | --- |"]
    for group, members in groups.items():
        name = plain(names.get(group) or chapters[group.split(".")[0]])
        cells = [counts(results[role], members) for role in ("server", "client")]
        lines.append(f"| {group} {name} | {len(members)} | {' | '.join(cells)} |")
    cells = [counts(results[role], played) for role in ("server", "client")]
    lines += [f"| all | {len(played)} | {' | '.join(cells)} |", ""]
    failures, deviations = [], []
    for case in played:
        for role in ("server", "client"):
            verdict = verdict_of(results[role], case)
            if verdict == "OK":
                continue
            result = results[role].get(case)
            if verdict == "failed" or case not in REASONS:
                failures.append(f"{case} of the {role}: {tuple(result) if result else 'not played'}")
            deviations.append(f"| {case} | {role} | {verdict} | {REASONS.get(case, '')} |")
    if deviations:
        lines += ["| case | end | result | reason |", "| --- | --- | --- | --- |", *deviations]
    return failures, lines


def verdict_of(results, case):
    result = results.get(case)
    if result is None or result.behavior not in GOOD or result.close not in GOOD:
        return "failed"
    return next((verdict for verdict in (result.behavior, result.close) if verdict != "OK"), "OK")


def counts(results, members):
    counted = collections.Counter(verdict_of(results, case) for case in members)
    return ", ".join(f"{count} {verdict}" for verdict, count in counted.most_common())


def plain(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def write(file, lines):
    """Replaces the text below the mark in the file."""
    head, mark, _ = file.read_text().partition(MARK)
    file.write_text("\n".join([head + mark, "", *lines, ""]))
