"""Checks rules, dashboards and runbooks against each other and docs/metrics.md, and tests the rules by promtool.

    check.py PROMTOOL FOLDER

A recorded incident (recorded/NAME.txt, by record.py) takes two minutes; alerts wait longer. So its two phases are prolonged: two quiet
hours before, and half an hour more of the fault. Counters, timestamps and ages go on with the slope of the phase, all else with its median.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from incidents import BESIDE, FIRES, WRITTEN

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/observability/prometheus"
BOARDS = ROOT / "deploy/observability/grafana/dashboards"
HERE = pathlib.Path(__file__).parent
# Seconds between samples, and how many are added before and during the fault.
STEP, BEFORE, DURING = 5, 1440, 360
SELECTOR = re.compile(r"(?<![\w:])((?:halyard|process)_[a-z0-9_]+|up)(?![\w:(])(\{[^}]*\})?")
# Labels of Prometheus.
OPEN = {"job", "instance", "le", "quantile"}
SUMS = ("_total", "_bucket", "_count", "_sum")


def expressions(text):
    """What a rules file has besides words for people."""
    return re.sub(r"(?m)^\s*(#|summary:|description:|runbook_url:|- alert:).*", "", text)


def selectors():
    """The series that the rules need."""
    text = "".join(expressions(path.read_text()) for path in sorted(RULES.glob("*.yaml")) if path.stem != "prometheus")
    return sorted({name + matchers for name, matchers in SELECTOR.findall(text)})


def queries(board):
    """The expressions of a dashboard."""
    if isinstance(board, dict):
        return [value for key, value in board.items() if key in ("expr", "query") and isinstance(value, str)] + queries(
            list(board.values())
        )
    return list(chain.from_iterable(map(queries, board))) if isinstance(board, list) else []


def board_expressions():
    """The expressions of all dashboards, with values for their variables."""
    for path in sorted(BOARDS.glob("*.json")):
        for expr in queries(json.loads(path.read_text())):
            if "label_values" not in expr and expr != "prometheus" and not expr.endswith("-datasource"):
                yield path.stem, expr.replace("$__rate_interval", "5m").replace("$instance", ".*")


def documented_metrics():
    """The labels and the meaning of each metric."""
    rows = re.findall(r"(?m)^\| `(\w+?)(?:\{([a-z, ]+)\})?` \| (.+) \|$", (ROOT / "docs/metrics.md").read_text())
    return {name: (set(filter(None, labels.split(", "))), meaning) for name, labels, meaning in rows}


def unknown_names(where, text, documented):
    """Metrics, labels and values of closed sets that docs/metrics.md does not have."""
    for name, matchers in SELECTOR.findall(text):
        base = next((name.removesuffix(end) for end in ("", *SUMS[1:]) if name.removesuffix(end) in documented), None)
        if base is None and name != "up":
            yield f"{where}: docs/metrics.md has no {name}"
        labels, meaning = documented.get(base, (set(), ""))
        for label, value in re.findall(r'(\w+)\s*(?:=|!=|=~|!~)\s*"([^"]*)"', matchers):
            if base and label not in labels | OPEN:
                yield f"{where}: {name} has no label {label}"
            elif label not in OPEN | {"edge", "task", "route", "status"} and f"`{value}`" not in meaning and base:
                yield f"{where}: {name} has no {label} {value}"


def problems():
    documented = documented_metrics()
    texts = {path.name: path.read_text() for path in sorted(RULES.glob("*.yaml"))}
    alerts = set(re.findall(r"- alert: (\w+)", texts["alerts.yaml"]))
    recorded = set(re.findall(r"- record: (\S+)", texts["recording.yaml"]))
    sections = re.findall(r"(?m)^## (\w+)$", (ROOT / "docs/runbooks.md").read_text())
    yield from (f"{name} has no section in docs/runbooks.md" for name in alerts - set(sections))
    yield from (f"docs/runbooks.md: no alert is called {name}" for name in set(sections) - alerts)
    links = re.findall(
        r"- alert: (\w+)(?:(?!- alert).)*?runbook_url: \S+/docs/runbooks\.md#(\w+)\n", texts["alerts.yaml"], re.DOTALL
    )
    yield from (f"{name}: runbook_url leads to {link}" for name, link in links if link != name.lower())
    yield from (f"no test fires {name}" for name in alerts - set(WRITTEN).union(*FIRES.values()))
    if len(links) != texts["alerts.yaml"].count("- alert:"):
        yield "an alert has no runbook_url"
    boards = {path.name: json.loads(path.read_text()) for path in sorted(BOARDS.glob("*.json"))}
    for name, board in boards.items():
        ids = [panel["id"] for panel in board["panels"]]
        yield from (f"{name}: the panel {number} is there twice" for number in set(ids) if ids.count(number) > 1)
        texts[name] = "\n".join(queries(board))
    for name, text in texts.items():
        text = expressions(text)
        yield from unknown_names(name, text, documented)
        used = re.findall(r"\b[a-z_]+:halyard_\w+:\w+|\bhalyard:\w+:\w+", text)
        yield from (f"{name}: no rule records {rule}" for rule in set(used) - recorded)


def decode(text):
    """The samples of a phase: `1`, `1+2x3` (four samples), `_` (none)."""
    samples = []
    for run in text.split():
        first, step, count = re.fullmatch(r"(_|-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?", run).groups()
        samples += [None if first == "_" else round(float(first) + float(step or 0) * i, 6) for i in range(int(count or 0) + 1)]
    return samples


def number(value):
    return f"{value:.6f}".rstrip("0").rstrip(".")


def encode(samples, gap="_"):
    """The same in this notation."""
    runs = []
    for sample in samples:
        last = runs[-1] if runs else None
        if sample is None:
            runs.append(gap if last and last not in ("_", gap) else "_")
        elif isinstance(last, list) and (last[2] == 0 or number(sample - last[0] - last[1] * last[2]) == number(last[1])):
            last[1:] = [sample - last[0] if last[2] == 0 else last[1], last[2] + 1]
        else:
            runs.append([sample, 0, 0])
    words = []
    for run in runs:
        words.append(
            run
            if isinstance(run, str)
            else number(run[0]) + (f"{'+' if run[1] >= 0 else ''}{number(run[1])}x{run[2]}" if run[2] else "")
        )
    return " ".join(words)


def slope(name, samples):
    """What is added to the last sample when a phase goes on, for each further one. Exact in binary: a sum that rounding makes
    smaller would look like that of a new process."""
    whole = [sample for sample in samples if sample is not None]
    if samples[-1] is None or whole != sorted(whole):
        return 0
    if name.endswith("_timestamp_seconds"):
        # One that has just appeared goes on, too.
        return STEP if len(whole) < 4 or whole[-1] > whole[-4] else 0
    if len(whole) < 4:
        return 0
    if name.endswith("_age_seconds"):
        return STEP if whole[-1] - whole[-4] > 2 * STEP else 0
    return int((whole[-1] - whole[0]) / (len(whole) - 1) * 64) / 64 if name.endswith(SUMS) else 0


def usual(name, end, phase):
    """A gauge goes on as it mostly was."""
    whole = [sample for sample in phase if sample is not None]
    is_gauge = not name.endswith((*SUMS, "_timestamp_seconds")) and slope(name, phase) == 0
    return statistics.median_low(whole) if is_gauge and end is not None else end


def prolonged(name, before, during):
    """All samples of a series."""
    grows = slope(name, before)
    at = usual(name, before[0], before)
    first = [None if at is None else at - grows * (BEFORE - i) for i in range(BEFORE)]
    grows = slope(name, during)
    at = usual(name, during[-1], during[-7:])
    last = [None if at is None else at + grows * (i + 1) for i in range(DURING)]
    samples = first + before + during + last
    # Times count from the first sample, and no sum is negative.
    lowest = min(sample for sample in samples if sample is not None)
    raised = STEP * BEFORE if name.endswith("_timestamp_seconds") else max(0, -lowest) if name.endswith(SUMS) else 0
    return [None if sample is None else sample + raised for sample in samples]


def test_file(series, tests, step=STEP):
    """A test file of promtool: series as pairs, and at which sample which alerts have fired within how many."""
    rules = [str(RULES / name) for name in ("recording.yaml", "alerts.yaml")]
    inputs = [{"series": selector, "values": values} for selector, values in series]
    fired = []
    for at, length, alerts in tests:
        expr = f'count by (alertname) (max_over_time(ALERTS{{alertstate="firing"}}[{length * step}s])) > bool 0'
        samples = [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in sorted(alerts)]
        fired.append({"expr": expr, "eval_time": f"{at * step}s", "exp_samples": samples})
    # By chance otherwise, and alerts would read what was recorded a minute before.
    order = [group + end for end in ("-recorded", "") for group in ("halyard", "halyard-objectives")]
    test = {"interval": f"{step}s", "input_series": inputs, "promql_expr_test": fired}
    return json.dumps({"rule_files": rules, "evaluation_interval": "1m", "group_eval_order": order, "tests": [test]})


def recorded(incident):
    lines = (HERE / "recorded" / f"{incident}.txt").read_text().splitlines()
    series = [
        (selector, [decode(part) for part in values.split("|")])
        for selector, values in (line.split("\t") for line in lines if not line.startswith("#"))
    ]
    fault = BEFORE + len(series[0][1][0])
    end = fault + len(series[0][1][1]) + DURING
    whole = [(selector, encode(prolonged(selector.split("{")[0], *phases), gap="stale")) for selector, phases in series]
    return test_file(whole, [(fault - 1, fault, set()), (end - 1, end - fault, FIRES[incident])])


def written(alert):
    """A healthy control plane for eight hours, and the series of the alert instead or besides."""
    healthy = [
        'up{job="halyard",instance="control-1"} 1x3000',
        'halyard_leads{job="halyard",instance="control-1"} 1x3000',
        'halyard_job_last_success_timestamp_seconds{job="halyard",instance="control-1",task="poll_changes"} 0+10x3000',
    ]
    series = dict(line.split(" ", 1) for line in healthy + BESIDE + WRITTEN[alert])
    return test_file(series.items(), [(2999, 2999, {alert})], step=10)


def main(promtool, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Prometheus reads the expressions of dashboards as those of rules.
    rules = [{"record": f"panel:{number}", "expr": expr} for number, (_, expr) in enumerate(board_expressions())]
    (folder / "boards.yaml").write_text(json.dumps({"groups": [{"name": "boards", "rules": rules}]}))
    commands = [["check", "rules", RULES / "recording.yaml", RULES / "alerts.yaml", folder / "boards.yaml"]]
    commands += [["check", "config", RULES / "prometheus.yaml"]]
    for name, text in chain(((name, recorded(name)) for name in FIRES), ((name, written(name)) for name in WRITTEN)):
        (folder / f"{name}.yaml").write_text(text)
        commands.append(["test", "rules", folder / f"{name}.yaml"])

    def complaint(command):
        done = subprocess.run([promtool, *map(str, command)], check=False, capture_output=True, text=True)
        return done.returncode and done.stdout + done.stderr

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [*problems(), *filter(None, pool.map(complaint, commands))]
    print("\n".join(failed), file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
