#!/usr/bin/env python3
"""check_layers.py accepts a tree that follows its table, and names each wrong include of one that does not."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = """
base:
telem: base
arc: base telem/type.h
hw: base
hw/sim: base hw
hw/ni: base hw
driver: *
tests: *
"""
GOOD = {
    "base/arena.h": "",
    "base/arena_priv.h": "",
    "base/arena.c": '#include "base/arena.h"\n#  include "base/arena_priv.h"\n#include <stdio.h>\n',
    "telem/type.h": '#include "base/arena.h"\n',
    "telem/bus.h": '#include "telem/type.h"\n',
    "arc/type.c": '#include "telem/type.h"\n',
    "hw/hw.h": "",
    "hw/sim/sim.h": '#include "hw/hw.h"\n',
    "hw/ni/ni.h": '#include "hw/hw.h"\n',
    "driver/table.c": '#include "hw/sim/sim.h"\n#include "hw/ni/ni.h"\n',
    "tests/support/test.h": "",
    "tests/base/test_arena.c": '#include "base/arena_priv.h"\n#include "tests/support/test.h"\n',
}
# file -> (what is in it, what the check must say)
BAD = {
    "base/up.c": ('\n#include "telem/type.h"\n', 'base/up.c:2: base may not include "telem/type.h"'),
    "arc/bus.c": ('#include "telem/bus.h"\n', 'arc/bus.c:1: arc may not include "telem/bus.h"'),
    "hw/sim/ni.c": ('#include "hw/ni/ni.h"\n', 'hw/sim may not include "hw/ni/ni.h"'),
    "hw/up.c": ('#include "hw/sim/sim.h"\n', 'hw may not include "hw/sim/sim.h"'),
    "telem/peek.c": ('#include "base/arena_priv.h"\n', '"base/arena_priv.h" is private'),
    "tests/telem/peek.c": ('#include "base/arena_priv.h"\n', '"base/arena_priv.h" is private'),
    "driver/test.c": ('#include "tests/support/test.h"\n', 'driver may not include "tests/'),
    "base/near.c": ('#include "arena.h"\n', '"arena.h" is no file'),
    "extra/x.c": ("", "extra/x.c: its folder has no row"),
}


def run(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {"tools/layers.txt": TABLE, **files}.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, str(ROOT / "tools/check_layers.py"), root],
                                capture_output=True, text=True)
        return result.returncode, result.stdout


def main():
    failures = []
    code, out = run(GOOD)
    if code != 0:
        failures.append(f"the good tree was refused:\n{out}")
    for name, (text, expected) in BAD.items():
        code, out = run({**GOOD, name: text})
        if code != 1 or expected not in out:
            failures.append(f"{name}: expected '{expected}', got {code}:\n{out}")
    code, out = run({})
    if code != 1:
        failures.append("a tree without any include passed: nothing was checked")
    print(*failures, f"check_layers: {len(BAD) + 2} cases, {len(failures)} wrong", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
