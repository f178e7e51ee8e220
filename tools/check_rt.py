#!/usr/bin/env python3
"""check_rt.py BUILD [--calls FILE]: reads what real-time code calls, in every library of BUILD.

ARCD_RT puts a function in section .text.rt, ARCD_STEADY in .text.steady. A direct call out of
.text.rt may go to a function of some .text.rt or to a name in tools/rt_calls.txt; .text.steady may
call .text.steady as well. Calls through pointers carry no name here: the rtcheck preset watches them
at run time. BUILD should be optimised (dev, release), or inline helpers look like calls.
"""
import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

OBJECT = re.compile(r"^(\S.*):\s+file format ")
SECTION = re.compile(r"^Disassembly of section (\S+):")
LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
RELOC = re.compile(r"^\s+[0-9a-f]+: (R_\w+)\s+(\S+?)([+-]0x[0-9a-f]+)?$")
CODE = re.compile(r"^\s*[0-9a-f]+:\t\s*(\S.*)$")
# Direct calls and jumps, tail calls with them, of x86-64, aarch64 and arm.
BRANCH = re.compile(r"^(?:bnd |notrack )?(call|j[a-z]+|b|bl|blx|b\.[a-z]+|b[a-z]{2}|cbn?z|tbn?z)\s")
# Parts that a compiler splits off a function and may put in another section.
PART = re.compile(r"(\.(cold|part\.\d+|isra\.\d+|constprop\.\d+|lto_priv\.\d+))+$")
ROOM = {".text.rt": "rt", ".text.steady": "steady"}


class Object:
    """One .o: where its functions are, and which names each one branches to."""

    def __init__(self, name):
        self.name = name
        self.labels = defaultdict(list)  # section -> [(address, function)]
        self.branches = []  # (section, function, reloc type, symbol, addend)

    def functions(self, room):
        """Functions of a room, with the parts that were split off them."""
        home = {f for s, labels in self.labels.items() if ROOM.get(s) == room for _, f in labels}
        everything = {f for labels in self.labels.values() for _, f in labels}
        return home | {f for f in everything if PART.sub("", f) in home}

    def target(self, kind, symbol, addend):
        """The function that a relocation names; a section symbol is looked up by its offset."""
        if symbol not in self.labels:
            return symbol
        at = addend + (4 if kind.startswith("R_X86_64") else 0)
        return max((l for l in self.labels[symbol] if l[0] <= at), default=(0, symbol))[1]


def read_objects(path):
    out = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", str(path)], capture_output=True, text=True,
                         check=True).stdout
    objects, section, function, code = [], "", "", ""
    for line in out.splitlines():
        if m := OBJECT.match(line):
            objects.append(Object(f"{path.name}:{m[1]}"))
        elif m := SECTION.match(line):
            section = m[1]
        elif m := LABEL.match(line):
            function = m[2]
            objects[-1].labels[section].append((int(m[1], 16), function))
        elif m := RELOC.match(line):
            # "call *table(%rip)" goes through data; through the GOT it names its function.
            direct = "*" not in code or "GOT" in m[1]
            if BRANCH.match(code + " ") and direct:
                addend = int(m[3] or "0", 16)
                objects[-1].branches.append((section, function, m[1], m[2], addend))
        elif m := CODE.match(line):
            code = m[1]
    return objects


def read_calls(path):
    """name -> None (anyone may call it) or the set of callers that may."""
    calls = {}
    for line in path.read_text().splitlines():
        names, _, callers = line.split("#")[0].partition(" from ")
        for name in names.split():
            calls[name] = set(callers.split()) or None
    return calls


def check(objects, calls):
    rooms = {room: {f for o in objects for f in o.functions(room)} for room in ROOM.values()}
    may = {"rt": rooms["rt"], "steady": rooms["rt"] | rooms["steady"]}
    problems = []
    for obj in objects:
        own = {room: obj.functions(room) for room in ROOM.values()}
        for section, function, kind, symbol, addend in obj.branches:
            room = next((r for r in own if function in own[r]), None)
            if room is None or (symbol.startswith(".") and symbol not in obj.labels):
                continue  # not our code, or a jump table
            target = obj.target(kind, symbol, addend)
            callers = calls.get(target, set())
            allowed = target in may[room] or callers is None or PART.sub("", function) in callers
            if not allowed:
                problems.append(f"{obj.name}: {function} ({room}) calls {target}")
    return problems, {room: len(names) for room, names in rooms.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--calls", type=Path, default=Path(__file__).parent / "rt_calls.txt")
    args = parser.parse_args()
    libraries = sorted(args.build.rglob("lib*.a"))
    objects = [o for path in libraries for o in read_objects(path)]
    problems, n = check(objects, read_calls(args.calls))
    for problem in sorted(set(problems)):
        print(problem)
    print(f"rt sections: {n['rt']} rt and {n['steady']} steady functions in {len(libraries)} "
          f"libraries, {len(set(problems))} forbidden calls")
    if n["rt"] == 0:
        print("no ARCD_RT function was found: the check saw nothing", file=sys.stderr)
    return 1 if problems or n["rt"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
