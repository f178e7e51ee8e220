#!/usr/bin/env python3
"""Random programs, of which a model in Python says what they do: run.py ARCD bodies|cycles SEED COUNT [KEEP]

The model is written from the rules of the language, not from arcd, and is as plain as it can be. The same
SEED and COUNT always make the same programs. They become conformance cases for `arcd conform`, in both
ways of running function bodies; a case that fails is printed. KEEP: the file of cases stays there.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import bodies
import cycles

KINDS = {"bodies": bodies.case, "cycles": cycles.case}


def conform(arcd, cases, path):
    """What `arcd conform` says against each case, by name."""
    path.write_text(json.dumps({"area": "model", "cases": cases}, indent=1))
    failed = {}
    for mode in ("sample", "batch"):
        done = subprocess.run([arcd, "conform", "--mode", mode, str(path)], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        wrong = [l.split(": ", 2) for l in lines if l.startswith("FAIL")]
        if not lines or lines[-1] != f"{len(cases) - len(wrong)} passed, {len(wrong)} failed":
            raise SystemExit(f"arcd conform exited {done.returncode}: {lines[-1:]} {done.stderr}")
        failed.update({name: f"{what} [{mode}]" for _, name, what in wrong})
    return failed


def spoiled(cases):
    """A copy of the first case that runs to its end, with one sample more than it writes."""
    case = json.loads(json.dumps(next(c for c in cases if "runtime_error" not in c)))
    expect = case["steps"][-1]["expect"]
    expect[next(iter(expect))].append(1)
    return {**case, "name": "spoiled"}


def show(case, what):
    print(f"{case['name']}: {what}", *case["source"], sep="\n    ")
    for step in case["steps"]:
        print("   ", step["at"], step.get("write", ""), {c: v for c, v in step["expect"].items() if v})


def main(arcd, kind, seed, count, keep=""):
    rng = random.Random(f"{kind} {seed}")
    cases = []
    while len(cases) < int(count):
        case = KINDS[kind](rng, f"{kind}-{seed}-{len(cases)}")
        if case:
            cases.append(case)
    with tempfile.TemporaryDirectory(prefix="arcd-model-") as folder:
        failed = conform(arcd, [*cases, spoiled(cases)], Path(keep or f"{folder}/cases.json"))
    blind = failed.pop("spoiled", None) is None
    for case in sorted((c for c in cases if c["name"] in failed), key=lambda c: len(c["source"]))[:5]:
        show(case, failed[case["name"]])
    stopped = sum("runtime_error" in c for c in cases)
    print(f"{len(cases)} programs of {kind}, {stopped} of which stop; {len(failed)} do not do what the model says")
    if blind:
        print("a case with a wrong expectation passed: this test cannot fail")
    return 1 if failed or blind else 0


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (5, 6) else __doc__)
