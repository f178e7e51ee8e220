#!/usr/bin/env python3
"""Takes the code out of a page that teaches by it: tutorial.py extract PAGE OUT | check PAGE

    ```c file=hw/files/files.c     a piece of that file: `extract` puts the pieces of each file together,
                                   in the page's order, below OUT
    ```c from=hw/sim/sim_loop.c    lines of that file of the tree; a line `...` stands for what is left
                                   out. `check` compares them with the tree

A fence of C without one of these is an error, and so is a page without both kinds.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Wrong(Exception):
    """The page is not as this script wants it."""


def read_fences(page):
    """[(line, "file" or "from", name, [line of code])] of all C fences."""
    fences, lines = [], Path(page).read_text(encoding="utf-8").splitlines()
    starts = [n for n, line in enumerate(lines) if re.match(r"\s*(```+|~~~+)\s*c\b", line)]
    for n in starts:
        match = re.fullmatch(r"```c (file|from)=(\S+)", lines[n])
        if not match:
            raise Wrong(f"{page}:{n + 1}: a fence of C says `file=` or `from=`: {lines[n].strip()}")
        fences.append((n + 1, match[1], match[2], lines[n + 1:lines.index("```", n + 1)]))
    if {kind for _, kind, _, _ in fences} != {"file", "from"}:
        raise Wrong(f"{page}: wanted fences with `file=` and with `from=`")
    return fences


def extract(page, out):
    files = {}
    for _, kind, name, code in read_fences(page):
        if kind == "file":
            files.setdefault(name, []).append("\n".join(code) + "\n")
    for name, pieces in files.items():
        path, text = Path(out) / name, "\n".join(pieces)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:  # so that nothing is built for nothing
            path.write_text(text)


def find(lines, piece, at):
    """Where `piece` ends in `lines` from line `at` on, None when it is not there."""
    for n in range(at, len(lines) - len(piece) + 1):
        if lines[n:n + len(piece)] == piece:
            return n + len(piece)
    return None


def check(page):
    wrong, n = [], 0
    for line, kind, name, code in read_fences(page):
        if kind != "from":
            continue
        n += 1
        path, at = ROOT / name, 0
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for piece in "\n".join(code).split("\n...\n"):
            at = find(lines, piece.split("\n"), at)
            if at is None:
                wrong.append(f"{page}:{line}: {name} does not have this any more:\n{piece}")
                break
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{n} quotations, {len(wrong)} that differ from the tree")
    return 1 if wrong else 0


def main(command="", page="", *out):
    try:
        if command == "extract" and len(out) == 1:
            return extract(page, out[0])
        if command == "check" and page and not out:
            return check(page)
    except (Wrong, OSError, ValueError) as wrong:
        print(wrong)
        return 1
    return __doc__


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
