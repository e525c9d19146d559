"""The part edges: single cases that failed once, each against its own process."""

import edge_admin
import edge_files
import edge_processes
import edge_requests


def attack(part, folder):
    cases = edge_requests.CASES + edge_admin.CASES + edge_files.CASES + edge_processes.CASES
    for number in part.numbers(rounds=len(cases), short=len(cases)):
        if number >= len(cases):
            return
        case = cases[number]
        place = folder / case.__name__
        place.mkdir()
        try:
            problem = case(part.settings, place)
            part.count("wrong" if problem else "right")
        except edge_files.Skipped:
            part.count("skipped")
            continue
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            part.count("wrong")
        if problem:
            part.fail(number, f"{case.__name__}: {problem}")
