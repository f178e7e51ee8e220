#!/usr/bin/env python3
"""check_rt.py finds each forbidden call of a fixture and no other, whatever the compiler and its level."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests/tools/fixtures/rt/rt.c"
FORBIDDEN = {
    "bad_malloc (rt) calls malloc",
    "bad_local (rt) calls unmarked",
    "bad_tail_call (rt) calls unmarked",
    "bad_steady (rt) calls steady_helper",
    "bad_steady_sleep (steady) calls sleep",
    "bad_cold_path (rt) calls free",
    "bad_syscall (rt) calls syscall",
}


def run(compiler, flags, define):
    """Compiles the fixture and returns (exit code, findings without their object, output)."""
    with tempfile.TemporaryDirectory() as build:
        obj = f"{build}/rt.o"
        subprocess.run([compiler, *flags, f"-D{define}", f"-I{ROOT}", "-D_GNU_SOURCE", "-c",
                        str(FIXTURE), "-o", obj], check=True)
        subprocess.run(["ar", "rcs", f"{build}/librt_fixture.a", obj], check=True)
        result = subprocess.run([sys.executable, str(ROOT / "tools/check_rt.py"), build],
                                capture_output=True, text=True)
        lines = result.stdout.splitlines()
        return result.returncode, {l.split(": ", 1)[1] for l in lines if " calls " in l}, lines


def main():
    compiler = sys.argv[1]
    failures = 0
    for flags in (["-O0"], ["-O2"], ["-O2", "-fPIC"], ["-O3", "-fPIC", "-fno-plt"]):
        code, found, lines = run(compiler, flags, "GOOD")
        ok_good = code == 0 and not found
        code, found, bad_lines = run(compiler, flags, "BAD")
        ok_bad = code == 1 and found == FORBIDDEN
        print(f"{compiler} {' '.join(flags)}: good {ok_good}, bad {ok_bad}")
        if not (ok_good and ok_bad):
            failures += 1
            print("  good:", *lines, "bad, missing:", *sorted(FORBIDDEN - found), "extra:",
                  *sorted(found - FORBIDDEN), *bad_lines, sep="\n    ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
