#!/usr/bin/env python3
"""How much memory a running Driver takes, and how long it takes from its start to the first batch.

    bench/footprint.py [--arcd BINARY] [--config DIR] [--repeat N] [--json]

Runs `arcd run examples/tank` with and without memory locking, turn about. Resident size is VmRSS one second after the
first batch. The time is from just before the process is made until its control socket shows a first sample; the first batch
itself takes as long as its samples (20 ms in the example).
"""
import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def samples(path, channel):
    """Samples of the channel so far, 0 while nobody answers."""
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            s.sendall(json.dumps({"cmd": "values", "channels": [channel]}).encode() + b"\n")
            return json.loads(s.makefile().readline())["values"][0]["samples"]
    except (OSError, ValueError, KeyError):
        return 0


def resident_kb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError("no VmRSS")


def measure(arcd, config, channel, rt):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/control"
        began = time.monotonic()
        process = subprocess.Popen([arcd, "run", config, "--socket", path, "--rt", rt, "--log-level", "error"])
        try:
            while samples(path, channel) == 0:
                if process.poll() is not None or time.monotonic() - began > 30:
                    sys.exit("arcd gave no sample")
                time.sleep(0.001)
            first_ms = (time.monotonic() - began) * 1000
            time.sleep(1)
            return first_ms, resident_kb(process.pid)
        finally:
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcd", default=str(ROOT / "build/release/driver/arcd"))
    parser.add_argument("--config", default=str(ROOT / "examples/tank"))
    parser.add_argument("--channel", default="tank_level")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not os.access(args.arcd, os.X_OK):
        sys.exit(f"{args.arcd} is not there: build it with cmake --workflow --preset release, or name it with --arcd")
    runs = {"off": [], "auto": []}
    for _ in range(args.repeat):
        for rt in runs:
            runs[rt].append(measure(args.arcd, args.config, args.channel, rt))
    result = {("locked" if rt == "auto" else "not_locked"): {
        "first_batch_ms": round(statistics.median(r[0] for r in rows), 1),
        "resident_mb": round(statistics.median(r[1] for r in rows) / 1024, 2)} for rt, rows in runs.items()}
    if args.json:
        print(json.dumps(result))
        return
    print(f"{'':12} {'first batch':>12} {'resident':>10}")
    for name, row in result.items():
        print(f"{name:12} {row['first_batch_ms']:>9} ms {row['resident_mb']:>7} MB")


if __name__ == "__main__":
    main()
