"""Reads the metrics of a server with Prometheus' own parser.

    with_metrics.py URL PAGE     the page of docs/ that lists them
"""

import json
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families


def ask(url, method="GET"):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
            return answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.headers["Content-Type"], error.read().decode()


def main(url, page):
    for path in ("/api/v1/goals", "/api/v1/goals", "/api/v1/nothing", "/api/v1/consultations/x/ws"):
        ask(url + path)
    media_type, text = ask(url + "/__admin/metrics")
    assert media_type == "text/plain; version=0.0.4; charset=utf-8", media_type
    families = list(text_string_to_metric_families(text))
    requests, seen = 0, set()
    for family in families:
        assert family.documentation and family.type in ("gauge", "counter"), family
        for sample in family.samples:
            key = (sample.name, *sorted(sample.labels.items()))
            assert key not in seen and sample.value >= 0, sample
            seen.add(key)
            if sample.name == "fitiq_mock_requests_total":
                requests += sample.value
    assert requests == len(json.loads(ask(url + "/__admin/requests")[1])["entries"]) == 4, requests
    # The parser drops the suffix of counters.
    names = [family.name.removeprefix("fitiq_mock_") + ("_total" if family.type == "counter" else "") for family in families]
    table = Path(page).read_text(encoding="utf-8").split("\n## Metrics\n")[1].split("\n```")[0]
    listed = {name for name in re.findall("`([a-z_]+)`", table)} - {"kind", "endpoint", "status", "direction", "opcode", "by", "http_headers"}
    assert len(names) == len(set(names)) and set(names) == listed, set(names) ^ listed


if __name__ == "__main__":
    main(*sys.argv[1:])
