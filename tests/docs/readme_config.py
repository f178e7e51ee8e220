#!/usr/bin/env python3
"""Checks the configuration that a page builds up: readme_config.py ARCD README.md

A fence of `json` or `arc` is a file; its name is in back-ticks in the text above it, the names of one
text in the order of the fences. They are put into a folder, which must pass `arcd check` without a
warning; programs are formatted as `arcd fmt` does it. Every such fence of the page must have a name, and a driver.json and a program must be among
them.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def read_files(text):
    """{name: content}; raises ValueError for a fence without a name."""
    files, names = {}, []
    for prose, language, content in re.findall(r"(.*?)^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        names += re.findall(r"`((?:tasks/|automations/)?\w+\.(?:json|arc))`", prose.rsplit("\n## ", 1)[-1])
        if language not in ("json", "arc"):
            continue
        while names and (names[0] in files or not names[0].endswith(language)):
            names.pop(0)
        if not names:
            raise ValueError(f"no file name above the fence that begins with: {content.splitlines()[0]}")
        files[names.pop(0)] = content
    return files


def main(arcd, page):
    arcd = str(Path(arcd).resolve())
    text = Path(page).read_text(encoding="utf-8")
    try:
        files = read_files(text)
    except ValueError as wrong:
        print(f"{page}: {wrong}")
        return 1
    fences = len(re.findall(r"^\s*(?:```|~~~)(?:json|arc)", text, re.M))
    programs = [f for f in files if f.endswith(".arc")]
    print(f"{page}: {len(files)} files: {', '.join(files)}")
    if len(files) != fences or "driver.json" not in files or not programs:
        print(f"{page}: {fences} fences of json or arc; wanted as many files, with a driver.json and a program")
        return 1
    with tempfile.TemporaryDirectory(prefix="arcd-docs-") as folder:
        for name, content in files.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(content)
        done = subprocess.run([arcd, "check", folder], capture_output=True, text=True)
        form = subprocess.run([arcd, "fmt", "--check", *programs], capture_output=True, text=True, cwd=folder)
    print(done.stdout + done.stderr + form.stdout + form.stderr, end="")
    return 1 if done.returncode or form.returncode or "warning" in done.stderr else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
