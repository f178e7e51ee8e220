"""Runs the arcd under test: a Driver on a folder of its own, and its verbs."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ARCD = os.environ["ARCD"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Ends a broken run; nothing that works comes near it, also on a busy machine.
PATIENCE_S = 60


def verb(*args, socket=None, check=True):
    """One verb, run to its end: the finished process with stdout and stderr as text."""
    command = [ARCD, *map(str, args)]
    if socket:
        command += ["--socket", str(socket)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    if check and done.returncode != 0:
        raise AssertionError(f"{command} exited {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def wait_until(condition, what):
    """Polls until condition() is true and returns its value."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"did not happen: {what}")


class Folder:
    """A configuration folder in the making."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        (self.path / "tasks").mkdir(parents=True, exist_ok=True)
        (self.path / "automations").mkdir(exist_ok=True)

    def put(self, name, content):
        text = content if isinstance(content, (str, bytes)) else json.dumps(content, indent=1)
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(self.path / name, mode) as file:
            file.write(text)
        return self

    def automation(self, name, program, **fields):
        self.put(f"automations/{name}.arc", program)
        return self.put(f"automations/{name}.json", {"type": "arc", "source": f"{name}.arc", **fields})

    @staticmethod
    def example(name, path):
        shutil.copytree(ROOT / "examples" / name, path, dirs_exist_ok=True)
        return Folder(path)


class Driver:
    """A running `arcd run`."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / "control"
        self.log_path = self.folder / "log.txt"
        self.log_file = open(self.log_path, "w")
        self.process = subprocess.Popen(
            [ARCD, "run", str(self.folder), "--socket", str(self.socket), *options],
            stdout=self.log_file, stderr=subprocess.STDOUT)
        wait_until(lambda: self.socket.exists() or self.process.poll() is not None, "the socket appears")

    def wait_started(self):
        """Until everything that starts by itself has been started."""
        wait_until(lambda: self.status()["started"], "arcd has started")
        return self

    def log(self):
        return self.log_path.read_text()

    def verb(self, *args, check=True):
        return verb(*args, socket=self.socket, check=check)

    def status(self):
        return json.loads(self.verb("status", "--json").stdout)

    def member(self, name):
        status = self.status()
        return next(m for m in status["tasks"] + status["automations"] if m["name"] == name)

    def value(self, channel):
        """The newest value, None before the first."""
        return self.item(channel).get("value")

    def item(self, channel):
        import socket as sockets
        with sockets.socket(sockets.AF_UNIX) as s:
            s.connect(str(self.socket))
            s.sendall(json.dumps({"cmd": "values", "channels": [channel]}).encode() + b"\n")
            with s.makefile() as replies:
                return json.loads(replies.readline())["values"][0]

    def stop(self, signum=signal.SIGTERM):
        """Ends the Driver and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signum)
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.log_file.close()


class Case(unittest.TestCase):
    """A test with a folder that goes away, and Drivers that are stopped."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.dir = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="arcd-test-"))
        self.folder = Folder(self.dir)

    def run_driver(self, *options):
        driver = Driver(self.dir, *options)
        self.stack.callback(driver.stop)
        return driver.wait_started()
