#!/usr/bin/env python3
"""Runs the Arc examples of Markdown pages: arc_examples.py ARCD PAGE.md...

Every fence that begins with ```arc is a program. When its first line is a comment such as

    // channels: level f64, valve u8

these are the channels around it. Behind the word `arc` the fence's line says what holds:

    compiles                         it compiles; nothing is said about what it does
    error=ARC2001                    it does not compile: this code, or `none` for an error without one
    line=3 contains="a piece"        ... and where and what the first error is
    warning=ARC4003                  it compiles with this warning (`none`: one without a code); no
                                     other example may have any
    tail="x -> f{} -> y"             lines put behind the program and not shown, \\n between them

An example without `compiles` or `error` is followed by a table of what it does:

    | at | comes in | is written |
    | --- | --- | --- |
    | 10ms | level 1.5, 2.5; go 1 | valve 1 |
    | 20ms | level 9 @19ms | |
    | 30ms | go 0 | stops: division by zero |

A row moves the clock to `at`, delivers what comes in as one batch, and says all that is written since
the row before to any channel of the last column: what a row does not name was not written. `@19ms`
is a sample's own time. Back-ticks are for the reader only. A program that stops is expected to say
the words behind `stops:`.

Examples are formatted as `arcd fmt` does it. The tables become conformance cases (tests/conformance/FORMAT.md) for `arcd conform`, in both ways
of running function bodies.
"""
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TYPES = "i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 str timestamp".split()
KEYS = {"compiles", "error", "line", "contains", "warning", "prints", "tail"}
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
TIME = r"-?[0-9]+(?:ns|us|ms|s|min)"
TOKEN = re.compile(rf'\s*(?:(?P<time>@{TIME})|(?P<special>NaN|\+Inf|-Inf)(?![A-Za-z0-9_])|(?P<name>{NAME})'
                   r'|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)|(?P<text>"(?:[^"\\]|\\.)*")'
                   r'|(?P<mark>[,;]))')


class Wrong(Exception):
    """Something in a page that is not as this script wants it."""


def read_info(text):
    """The words behind ```arc as a dict."""
    info = {}
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if key not in KEYS or key in info or (key == "compiles") == bool(equals):
            raise Wrong(f"what is '{word}'?")
        info[key] = value
    return info


def read_channels(source):
    text = re.match(r"// channels:(.*)", source[0] if source else "")
    channels = {}
    for entry in text[1].split(",") if text else []:
        match = re.fullmatch(rf"\s*({NAME}) (\w+)\s*", entry)
        if not match or match[2] not in TYPES or match[1] in channels:
            raise Wrong(f"'{entry.strip()}' declares no channel")
        channels[match[1]] = match[2]
    return channels


def read_samples(cell):
    """`level 1.5 @9ms, 2.5; go 1` as ({"level": [1.5, 2.5], ...}, {"level": ["9ms", None], ...})."""
    values, times, channel, wants, at = {}, {}, None, "name", 0
    while cell[at:].strip():
        match = TOKEN.match(cell, at)
        kind = match and match.lastgroup
        text = match and match[kind]
        if kind == "name" and wants == "name" and text not in values:
            channel, wants = text, "value"
            values[channel], times[channel] = [], []
        elif kind in ("number", "text", "special") and wants == "value":
            values[channel].append(text if kind == "special" else json.loads(text))
            times[channel].append(None)
            wants = "more"
        elif kind == "time" and wants == "more":
            times[channel][-1] = text[1:]
        elif kind == "mark" and wants == "more":
            wants = "value" if text == "," else "name"
        else:
            raise Wrong(f"cannot read '{cell.strip()}' from '{cell[at:].strip()}' on")
        at = match.end()
    if wants not in ("more", "name"):
        raise Wrong(f"'{cell.strip()}' ends early")
    return values, times


def read_row(line):
    cells = [c.strip().replace("`", "") for c in line.strip().strip("|").split("|")]
    if len(cells) != 3:
        raise Wrong(f"a row has three cells: {line.strip()}")
    return cells


def read_table(rows):
    """(steps, runtime_error or None) of a case."""
    steps, fault, shown = [], None, set()
    for number, (at, comes, goes) in enumerate(rows):
        if not re.fullmatch(TIME, at):
            raise Wrong(f"'{at}' is no time")
        step = {"at": at}
        values, times = read_samples(comes)
        if values:
            step["write"] = values
            step["times"] = {c: [t or at for t in ts] for c, ts in times.items()}
        if goes.startswith("stops:"):
            fault = {"step": number, "contains": goes[len("stops:"):].strip()}
            goes = ""
        step["expect"] = read_samples(goes)[0]
        shown |= set(step["expect"])
        steps.append(step)
    if not shown and not fault:
        raise Wrong("the table shows nothing that is written")
    for step in steps:
        step["expect"].update({c: [] for c in shown - set(step["expect"])})
    return steps, fault


class Example:
    """One fence with what is said about it."""

    def __init__(self, page, line, info, source, rows, behind):
        self.name, self.shown = f"{page}:{line}", source
        self.info = read_info(info)
        self.channels = read_channels(source)
        self.source = source + self.info.get("tail", "").split("\\n")
        kinds = [rows is not None, "compiles" in self.info, "error" in self.info]
        if sum(kinds) != 1:
            raise Wrong("an example has a table, or `compiles`, or `error=`")
        if ("line" in self.info or "contains" in self.info) and "error" not in self.info:
            raise Wrong("`line` and `contains` belong to `error=`")
        self.kind = ["run", "compiled", "refused"][kinds.index(True)]
        self.rows = rows
        self.printed = behind if "prints" in self.info else None

    def case(self):
        case = {"name": self.name, "channels": self.channels, "source": self.source}
        if self.kind == "refused":
            error = {"code": "" if self.info["error"] == "none" else self.info["error"]}
            if "line" in self.info:
                error["line"] = int(self.info["line"])
            if "contains" in self.info:
                error["contains"] = self.info["contains"]
            return {**case, "error": error}
        case["steps"], fault = read_table(self.rows) if self.rows is not None else ([], None)
        if fault:
            case["runtime_error"] = fault
        return case


def fence_at(lines, n):
    """What stands in the fence that begins in line n, None when none does."""
    if n >= len(lines) or not lines[n].startswith("```"):
        return None
    return lines[n + 1:lines.index("```", n + 1)]


def read_page(page):
    """The examples of a page. Wrong with the place for whatever is out of order."""
    lines = Path(page).read_text(encoding="utf-8").splitlines()
    examples, claimed, n, fences = [], set(), 0, 0
    starts = sum(bool(re.match(r"\s*(```+|~~~+)\s*arc\b", line)) for line in lines)
    while n < len(lines):
        fence = re.match(r"(```+|~~~+)\s*(.*)", lines[n])
        if not fence:
            n += 1
            continue
        first = n
        while n + 1 < len(lines) and not lines[n + 1].startswith(fence[1]):
            n += 1
        end = n + 1
        n += 2
        language, _, info = fence[2].partition(" ")
        if language != "arc":
            continue
        fences += 1
        table = end + 1
        while table < len(lines) and not lines[table].strip():
            table += 1
        rows = None
        try:
            if table < len(lines) and lines[table].startswith("|") and read_row(lines[table])[0] == "at":
                claimed.add(table)
                rows = []
                for line in lines[table + 2:]:
                    if not line.startswith("|"):
                        break
                    rows.append(read_row(line))
            behind = fence_at(lines, table)
            example = Example(Path(page).name, first + 1, info, lines[first + 1:end], rows, behind)
            example.case()
            examples.append(example)
        except (Wrong, ValueError) as wrong:
            raise Wrong(f"{page}:{first + 1}: {wrong}") from None
    if fences != starts:
        raise Wrong(f"{page}: {starts} fences begin with arc, {fences} were read: is one indented or unclosed?")
    if not fences:
        raise Wrong(f"{page}: no Arc example")
    for n, (line, rule) in enumerate(zip(lines, lines[1:])):
        if re.match(r"\|\s*at\s*\|", line) and rule.startswith("| -") and n not in claimed:
            raise Wrong(f"{page}:{n + 1}: a table of what no example does")
    return examples


def conform(arcd, examples, folder):
    """What `arcd conform` finds wrong, in both modes."""
    file = Path(folder) / "examples.json"
    file.write_text(json.dumps({"area": "docs", "cases": [e.case() for e in examples]}, indent=1))
    wrong = []
    for mode in ("sample", "batch"):
        done = subprocess.run([arcd, "conform", "--mode", mode, str(file)], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        wrong += [l.replace(f"FAIL {file}: ", "") + f" [{mode}]" for l in lines if l.startswith("FAIL")]
        if done.returncode or f"{len(examples)} passed, 0 failed" not in lines:
            wrong.append(f"arcd conform --mode {mode} exited {done.returncode}: {lines[-1:]} {done.stderr}")
    return wrong


def check(arcd, example, folder):
    """What `arcd check` says otherwise than the example: its warnings, and its text if that is shown."""
    if example.kind == "refused" and "prints" not in example.info:
        return []
    name, channels = example.info.get("prints", "example.arc"), Path(folder) / "channels.json"
    (Path(folder) / name).write_text("\n".join(example.source) + "\n")
    channels.write_text(json.dumps({"channels": {c: {"type": t, "virtual": True} for c, t in example.channels.items()}}))
    command = [arcd, "check", name, "--channels", channels.name]
    if "prints" in example.info:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if done.stderr.splitlines() == example.printed:
            return []
        return [f"{example.name}: arcd check prints:\n{done.stderr}"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        return [f"{example.name}: arcd check: {done.stdout}{done.stderr}"]
    found = [(d.get("code", "none"), d["start"]["line"], d["message"])
             for d in json.loads(done.stdout)["diagnostics"] if d["severity"] == "warning"]
    wanted = [example.info["warning"]] if "warning" in example.info else []
    if [code for code, _, _ in found] == wanted:
        return []
    return [f"{example.name}: warnings {wanted} are declared, there are {found}"]


def unformatted(arcd, examples, folder):
    """Which of the examples `arcd fmt` would change."""
    files = {}
    for n, example in enumerate(examples):
        files[f"{n}.arc"] = example
        (Path(folder) / f"{n}.arc").write_text("\n".join(example.shown) + "\n")
    done = subprocess.run([arcd, "fmt", "--check", *files], capture_output=True, text=True, cwd=folder)
    named = [name for name in files if name in (done.stdout + done.stderr).split()]
    if bool(named) != bool(done.returncode):
        return [f"arcd fmt --check exited {done.returncode}: {done.stdout}{done.stderr}"]
    return [f"{files[name].name}: arcd fmt would change it" for name in named]


def main(arcd, *pages):
    arcd = str(Path(arcd).resolve())
    wrong, examples = [], []
    for page in pages:
        try:
            examples += read_page(page)
        except (Wrong, OSError) as error:
            wrong.append(str(error))
    if examples:
        with tempfile.TemporaryDirectory(prefix="arcd-docs-") as folder:
            wrong += conform(arcd, examples, folder) + unformatted(arcd, examples, folder)
            for example in examples:
                wrong += check(arcd, example, folder)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    counts = {kind: sum(e.kind == kind for e in examples) for kind in ("run", "compiled", "refused")}
    print(f"{len(examples)} examples:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    return 1 if wrong or not examples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
