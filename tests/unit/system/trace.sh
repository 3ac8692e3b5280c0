#!/bin/sh
# A trace that an example writes, read by somebody else's JSON parser: that it is an array of events which
# trace viewers take, and that they nest.
#
# usage: trace.sh TRACING
#
# Exit status 77, a skip, without Python.
set -eu
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no python3"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$work/trace.json" >"$work/said"

python3 - "$work/trace.json" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)

first = events.pop(0)
assert (first["ph"], first["args"]) == ("M", {"name": "tracing"}), first
for event in events:
    assert event["ph"] in "Xi" and event["pid"] == 1 and event["tid"] == 1, event
    assert event["ts"] >= 0 and event.get("dur", 0) >= 0, event
    assert event["cat"] in ("step", "phase", "system", "commands", "span", "mark"), event

# What ends is written, so that what is inside comes before what is around it. Put back in the order of
# beginnings, each must end before the innermost that is open.
nanoseconds = lambda time: round(time * 1000)
spans = [
    (nanoseconds(e["ts"]), nanoseconds(e["ts"] + e.get("dur", 0)), -i, e)
    for i, e in enumerate(events)
]
spans.sort(key=lambda s: (s[0], -s[1], s[2]))
around = []
for begin, end, _, event in spans:
    while around and (begin > around[-1] or (begin == around[-1] and end > begin)):
        around.pop()
    assert not around or end <= around[-1], event
    around.append(end)

steps = [e for e in events if e["cat"] == "step"]
assert len(steps) == 10, len(steps)
assert [s["ts"] for s in steps] == sorted(s["ts"] for s in steps)
assert sum(1 for e in events if e["name"] == "find pairs") == 10
assert all(e["args"] == {"rows": 1, "segments": 1} for e in events if e["name"] == "age")
assert all(e["args"] == {"commands": 1} for e in events if e["cat"] == "commands")
END
