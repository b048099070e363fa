"""Records the series that the alerts need while faults happen to real processes, for check.py.

    record.py PROGRAMS PROMETHEUS LIBFAKETIME FOLDER [INCIDENT...]

PROGRAMS is the folder of halyard and halyard-edge. By hand, as root (it mounts a small disk), some minutes per incident:

    ./dev record-incidents [INCIDENT...]
"""

import itertools
import pathlib
import subprocess
import sys
import time

import faults
from check import HERE, STEP, board_expressions, encode, selectors
from fleet import Fleet
from incidents import FIRES

# Samples of each phase: before and during the fault.
PHASES = (8, 14)


def record(fleet, load, incident):
    """Runs one incident, and returns its lines."""
    begun = time.time()
    time.sleep(STEP * PHASES[0])
    with getattr(faults, incident)(fleet, load):
        time.sleep(STEP * PHASES[1])
    found = {}
    for selector in selectors():
        for series in fleet.query("query_range", query=selector, start=begun, end=begun + STEP * (sum(PHASES) - 1), step=STEP):
            labels = {key: value for key, value in series["metric"].items() if key != "__name__"}
            name = series["metric"]["__name__"]
            text = name + "{" + ",".join(f'{key}="{value}"' for key, value in sorted(labels.items())) + "}"
            samples = [None] * sum(PHASES)
            for at, value in series["values"]:
                is_time = name.endswith("_timestamp_seconds")
                samples[round((at - begun) / STEP)] = round(float(value) - (begun if is_time else 0), 2)
            found[text] = samples
    return sorted(line for text, samples in found.items() if (line := line_of(text, samples, found)))


def line_of(text, samples, found):
    """None for what says nothing: counters that stay at 0, and jobs that run too seldom to see whether they do."""
    whole = [sample for sample in samples if sample is not None]
    name = text.split("{")[0]
    if name.endswith(("_total", "_count", "_bucket")) and not any(whole):
        return None
    if name.endswith("_timestamp_seconds"):
        task = text.split('task="')[1].split('"')[0]
        same = [other[: PHASES[0]] for key, other in found.items() if key.startswith(name) and f'task="{task}"' in key]
        if max(len(set(before) - {None}) for before in same) < 4:
            return None
    ends = [0, PHASES[0], sum(PHASES)]
    return text + "\t" + " | ".join(encode(samples[first:last]) for first, last in itertools.pairwise(ends))


def main(programs, prometheus, faketime, folder, *incidents):
    fleet = Fleet(pathlib.Path(folder), pathlib.Path(programs), prometheus)
    fleet.faketime = faketime
    try:
        load = faults.Load(fleet)
        time.sleep(30)
        empty = [query for query in board_expressions() if not fleet.query("query", query=query[1])]
        print(
            f"{len(empty)} of {len(list(board_expressions()))} expressions of dashboards return nothing:",
            *empty,
            sep="\n",
            flush=True,
        )
        for incident in incidents or FIRES:
            lines = record(fleet, load, incident)
            head = f"# {STEP} s between samples: before | during the fault\n"
            (HERE / "recorded" / f"{incident}.txt").write_text(head + "\n".join(lines) + "\n")
            print(time.strftime("%H:%M:%S"), incident, len(lines), flush=True)
            time.sleep(40)
    finally:
        fleet.stop()
        subprocess.run(["umount", fleet.folder / "edge-1-cache"], check=False, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
