#!/usr/bin/env python3
"""arc_examples.py accepts a page that is right, and finds each thing that can be wrong with one."""
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "arc_examples.py"

PROGRAM = """```arc{info}
// channels: a f64, b u8
a > 5.0 -> b
```
"""
TABLE = """
| at | comes in | is written |
| --- | --- | --- |
| 1ms | {comes} | {goes} |
"""


def page(info="", comes="`a` 6.0", goes="`b` 1", program=PROGRAM):
    return program.format(info=info) + TABLE.format(comes=comes, goes=goes)


GOOD = page()
REFUSED = """```arc error=ARC4001 line=2 contains="undefined"
// channels: b u8
c > 5.0 -> b
```
"""
BARE = PROGRAM.format(info="")
OLD_NAME = """```arc{info}
// channels: b u8
wait{{5s}} -> b
```
"""
FAULT = """```arc
// channels: a i64, b i64
1 / a -> b
```
"""
STOPS = TABLE.format(comes="`a` 0", goes="stops: {words}")
SHOWN = """```arc error=ARC4001 prints=x.arc
c > 5.0 -> c
```

```text
{text}
```
"""

# What it must accept; the number of examples.
ACCEPTED = {
    "one of each kind": (GOOD + REFUSED + PROGRAM.format(info=" compiles") + FAULT
                         + STOPS.format(words="division by zero"), 4),
    "a declared warning": (OLD_NAME.format(info=" compiles warning=ARC4003"), 1),
    "a hidden tail": (PROGRAM.format(info=' tail="2 -> b"') + TABLE.format(comes="`a` 6", goes="`b` 2, 1"), 1),
    "other fences": (GOOD + "```json\n{}\n```\n```arcane\n```\n", 1),
    "samples with their own times": (page(comes="`a` 6 @1ns, 7 @2ns"), 1),
    "a table of something else": (GOOD + "\n| name | x | y |\n| --- | --- | --- |\n| at | 1 | 2 |\n", 1),
}

# What it must find, and a piece of what it says.
FOUND = {
    "no example": ("# A page\n", "no Arc example"),
    "a fence without a declaration": (BARE, "has a table, or `compiles`, or `error=`"),
    "a fence without a declaration among others": (GOOD + BARE, "has a table, or"),
    "two declarations": (page(info=" compiles"), "has a table, or"),
    "an unknown word": (page(info=" compile"), "what is 'compile'?"),
    "an indented fence": (GOOD + "- item\n\n  ```arc\n  1 -> b\n  ```\n", "indented"),
    "another kind of fence": (GOOD + "    ~~~arc\n1 -> b\n~~~\n", "indented"),
    "a table without an example": (GOOD + "\ntext\n" + TABLE.format(comes="", goes="`b` 1"), "no example does"),
    "a wrong value": (page(goes="`b` 0"), "b: expected [0], got [1]"),
    "a write too many": (page(goes="`b` 1, 1"), "b: expected [1, 1], got [1]"),
    "a write that a row leaves out": (page() + "| 2ms | `a` 7 | |\n", "b: expected [], got [1]"),
    "a write that nothing asks about": (page(goes=""), "shows nothing"),
    "an undeclared channel": (page(comes="`c` 1"), "not in \"channels\""),
    "a bad cell": (page(comes="`a` 1 2"), "cannot read"),
    "a cell that ends early": (page(goes="`b`"), "ends early"),
    "a bad time": (page().replace("1ms", "soon"), "is no time"),
    "a bad channel": (page().replace("a f64", "a float"), "declares no channel"),
    "a program that does not compile": (page().replace("a > 5.0", "a >"), "does not compile"),
    "an error that is none": (GOOD.split("\n\n")[0].replace("arc", "arc error=ARC2001", 1) + "\n", "but it compiles"),
    "another code": (REFUSED.replace("ARC4001", "ARC2001"), "expected error ARC2001"),
    "no code expected": (REFUSED.replace("ARC4001", "none"), "expected error"),
    "another line": (REFUSED.replace("line=2", "line=1"), "in line 1, got line 2"),
    "other words": (REFUSED.replace('"undefined"', '"nonsense"'), "'nonsense'"),
    "an example that is not formatted": (page().replace("a > 5.0", "a>5.0"), "arcd fmt would change it"),
    "an undeclared warning": (OLD_NAME.format(info=" compiles"), "there are [('ARC4003'"),
    "a declared warning that is none": (PROGRAM.format(info=" compiles warning=ARC4003"), "there are []"),
    "a program that stops": (FAULT + TABLE.format(comes="`a` 0", goes="`b` 1"), "division by zero"),
    "a program that does not stop": (FAULT + TABLE.format(comes="`a` 1", goes="stops: division"), "expected the program to stop"),
    "other words when it stops": (FAULT + STOPS.format(words="out of bounds"), "'out of bounds'"),
    "other printed words": (SHOWN.format(text="all is well"), "undefined symbol: c"),
    "printed words that are missing": (SHOWN.split("\n\n")[0] + "\n", "undefined symbol: c"),
    "a piece for what compiles": (PROGRAM.format(info=" compiles line=2"), "belong to `error=`"),
}


def run(arcd, text):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.md"
        file.write_text(text)
        done = subprocess.run([sys.executable, str(SCRIPT), arcd, str(file)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    arcd, wrong = sys.argv[1], []
    for name, (text, n) in ACCEPTED.items():
        code, said = run(arcd, text)
        if code != 0 or f"{n} examples:" not in said:
            wrong.append(f"{name}: exit {code}: {said}")
    for name, (text, piece) in FOUND.items():
        code, said = run(arcd, text)
        if code != 1 or piece not in said or "Traceback" in said:
            wrong.append(f"{name}: wanted '{piece}', exit {code}: {said}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(ACCEPTED)} pages accepted, {len(FOUND)} refused, {len(wrong)} otherwise than they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
