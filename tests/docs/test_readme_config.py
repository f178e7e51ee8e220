#!/usr/bin/env python3
"""readme_config.py accepts README.md as it is, and finds each way of breaking what it shows."""
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = (HERE.parents[1] / "README.md").read_text(encoding="utf-8")

# (what is replaced, by what, a piece of what it says)
BROKEN = {
    "a wrong channel in the program": ("tank_level -> fill", "tank_levl -> fill", "undefined symbol: tank_levl"),
    "a wrong field": ('"sample_rate": 1000', '"sampel_rate": 1000', "sampel_rate"),
    "a device that is not declared": ('"device": "tank"', '"device": "tonk"', "tonk"),
    "a fence without a name": ("`tasks/tank_out.json` writes", "This one writes", "no file name"),
    "a program that is gone": ("```arc\n", "```text\n", "with a driver.json and a program"),
    "a program that is not formatted": ("-> fill{} ->", "->  fill{} ->", "hold.arc"),
    "a warning": ('"index": "tank_time", ', "", "warning"),
}


def run(arcd, text):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "README.md"
        page.write_text(text)
        done = subprocess.run([sys.executable, str(HERE / "readme_config.py"), arcd, str(page)],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    arcd, wrong = str(Path(sys.argv[1]).resolve()), []
    code, said = run(arcd, README)
    if code != 0:
        wrong.append(f"README.md: exit {code}: {said}")
    for name, (old, new, piece) in BROKEN.items():
        if old not in README:
            wrong.append(f"{name}: README.md has no '{old}' any more")
            continue
        code, said = run(arcd, README.replace(old, new))
        if code != 1 or piece not in said or "Traceback" in said:
            wrong.append(f"{name}: wanted '{piece}', exit {code}: {said}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(BROKEN)} ways of breaking README.md, {len(wrong)} otherwise than they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
