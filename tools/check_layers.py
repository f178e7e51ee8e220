#!/usr/bin/env python3
"""check_layers.py [ROOT]: fails on an #include that the table ROOT/tools/layers.txt does not allow.

Also fails on a quoted include that is not written from the root, on one whose file is not there, on
a C file in no row, and on x_priv.h from outside its folder (tests/FOLDER counts as FOLDER: that is
where a private unit is tested).
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SUFFIXES = {".c", ".h", ".def", ".inc"}
NOT_FOR_STAR = {"tests", "bench"}


def read_table(path):
    table = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            row, _, allowed = line.partition(":")
            table[row.strip()] = set(allowed.split())
    return table


def row_of(table, path):
    """The longest row that holds the file; None when there is none."""
    rows = [row for row in table if path.startswith(row + "/")]
    return max(rows, key=len, default=None)


def is_allowed(table, row, target):
    allowed, to = table[row], row_of(table, target)
    if to == row or target in allowed or to in allowed:
        return True
    return "*" in allowed and to not in NOT_FOR_STAR


def problem(root, table, source, target):
    """What is wrong with this include, or None."""
    made = root / (target + ".in")  # a header that CMake makes of a template
    if not (root / target).is_file() and not made.is_file():
        return f'"{target}" is no file; includes are written from the root'
    row = row_of(table, source)
    if not is_allowed(table, row, target):
        return f'{row} may not include "{target}" (tools/layers.txt)'
    home = str(Path(source).parent).removeprefix("tests/")
    if target.endswith("_priv.h") and home != str(Path(target).parent):
        return f'"{target}" is private to its folder'
    return None


def c_files(root, table):
    tops = {row.split("/")[0] for row in table}
    tops |= {d.name for d in root.iterdir() if d.is_dir() and not d.name.startswith(".")}
    for top in sorted(tops - {"build"}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "fixtures" not in path.parts:
                yield path


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    table = read_table(root / "tools/layers.txt")
    n_includes, problems = 0, []
    for path in c_files(root, table):
        source = path.relative_to(root).as_posix()
        if row_of(table, source) is None:
            problems.append(f"{source}: its folder has no row in tools/layers.txt")
            continue
        text = path.read_text(errors="replace")
        for match in INCLUDE.finditer(text):
            n_includes += 1
            wrong = problem(root, table, source, match.group(1))
            if wrong:
                line = text.count("\n", 0, match.start(1)) + 1
                problems.append(f"{source}:{line}: {wrong}")
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"layers: {n_includes} includes, {len(problems)} wrong")
    return 1 if problems or n_includes == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
