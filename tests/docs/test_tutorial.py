#!/usr/bin/env python3
"""tutorial.py puts files together in order, and finds each quotation that the tree does not have."""
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "tutorial.py"
FILES = "```c file=a/x.c\nint a;\n```\ntext\n```c file=y.h\nint y;\n```\n```c file=a/x.c\nint b;\n```\n"
QUOTE = "```c from=hw/hw.h\n{}\n```\n"
TRUE = QUOTE.format("enum hw_direction { HW_READ, HW_WRITE };\n...\nstruct hw_task;")

# (page, exit code of `check`, a piece of what it says)
PAGES = {
    "true quotations": (FILES + TRUE, 0, "1 quotations, 0 that differ"),
    "a changed line": (FILES + QUOTE.format("enum hw_direction { HW_READ };"), 1, "hw/hw.h does not have this"),
    "pieces in another order": (FILES + QUOTE.format("struct hw_task;\n...\nenum hw_direction { HW_READ, HW_WRITE };"),
                                1, "does not have this"),
    "a file that is not there": (FILES + QUOTE.format("int a;").replace("hw.h", "nothing.h"), 1, "does not have this"),
    "a fence without a word": (FILES + TRUE + "```c\nint a;\n```\n", 1, "a fence of C says"),
    "an indented fence": (FILES + TRUE + "  ```c from=hw/hw.h\nint a;\n```\n", 1, "a fence of C says"),
    "no quotation": (FILES, 1, "wanted fences"),
    "no file": (TRUE, 1, "wanted fences"),
}


def run(folder, *args):
    done = subprocess.run([sys.executable, str(SCRIPT), *args], capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        for name, (text, wanted, piece) in PAGES.items():
            page.write_text(text)
            code, said = run(folder, "check", str(page))
            if code != wanted or piece not in said or "Traceback" in said:
                wrong.append(f"{name}: wanted {wanted} and '{piece}', exit {code}: {said}")
        page.write_text(FILES + TRUE)
        code, said = run(folder, "extract", str(page), "out")
        files = {str(f.relative_to(folder)): f.read_text() for f in Path(folder, "out").rglob("*") if f.is_file()}
        if code != 0 or files != {"out/a/x.c": "int a;\n\nint b;\n", "out/y.h": "int y;\n"}:
            wrong.append(f"extract: exit {code}: {said}{files}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(PAGES) + 1} cases, {len(wrong)} otherwise than they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
