"""A language client in a test's hands: starts the server, speaks the protocol, keeps what it says."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import unittest

SERVER = os.environ["ARCD"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Ends a broken run; nothing that works comes near it, also on a busy machine.
PATIENCE_S = 60

CAPABILITIES = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}},
    },
}


def frame(body):
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


# AddressSanitizer keeps freed memory for a while; not so much of it that a leak could hide behind.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=8"}


class Client:
    def __init__(self, *args):
        self.process = subprocess.Popen([SERVER, "lsp", *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=ENVIRONMENT)
        self.bytes = b""
        self.last_id = 0
        self.unread = []  # notifications and requests of the server, in order

    # ---- Bytes

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(frame(json.dumps(message).encode()))

    def fill(self):
        fd = self.process.stdout.fileno()
        ready, _, _ = select.select([fd], [], [], PATIENCE_S)
        if not ready:
            raise AssertionError("the server says nothing")
        data = os.read(fd, 65536)
        if not data:
            raise AssertionError("the server has gone")
        self.bytes += data

    def read(self):
        while b"\r\n\r\n" not in self.bytes:
            self.fill()
        header, rest = self.bytes.split(b"\r\n\r\n", 1)
        length = int(header.split(b":")[1])
        while len(rest) < length:
            self.fill()
            rest = self.bytes.split(b"\r\n\r\n", 1)[1]
        self.bytes = rest[length:]
        return json.loads(rest[:length])

    # ---- Messages

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, id):
        """The response to a request; what else comes is kept."""
        while True:
            message = self.read()
            if "method" in message:
                self.unread.append(message)
            elif message.get("id") == id:
                return message

    def ask(self, method, params):
        """The whole response, result or error."""
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.answer(self.last_id)

    def request(self, method, params):
        response = self.ask(method, params)
        if "error" in response:
            raise AssertionError(f"{method}: {response['error']}")
        return response["result"]

    def wait_for(self, method, fits=lambda params: True):
        """The params of the next notification that fits; those before it are dropped."""
        while True:
            message = self.unread.pop(0) if self.unread else self.read()
            if message.get("method") == method and fits(message["params"]):
                return message["params"]

    # ---- A session

    def initialize(self, capabilities=None, **fields):
        result = self.request("initialize", {
            "processId": None, "rootUri": None,
            "capabilities": CAPABILITIES if capabilities is None else capabilities, **fields})
        self.notify("initialized", {})
        return result

    def quit(self):
        """shutdown and exit; the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(PATIENCE_S)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Program:
    """An open document; `|` in a text marks a place."""

    def __init__(self, client, uri, text):
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "arc", "version": 1, "text": text}})

    @property
    def id(self):
        return {"uri": self.uri}

    def position(self, offset, encoding="utf-16-le"):
        before = self.text[:offset]
        line_start = before.rfind("\n") + 1
        unit = 2 if encoding.startswith("utf-16") else 1
        character = len(before[line_start:].encode(encoding)) // unit
        return {"line": before.count("\n"), "character": character}

    def find(self, needle):
        """The place of the `|` in the first `needle`; without one, its beginning."""
        at = self.text.index(needle.replace("|", "", 1))
        return at + max(needle.find("|"), 0)

    def changed(self, changes):
        self.version += 1
        self.client.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": changes})

    def set(self, text):
        self.text = text
        self.changed([{"text": text}])

    def replace(self, old, new):
        """An incremental change of the first `old`."""
        start = self.text.index(old)
        change = {"range": {"start": self.position(start), "end": self.position(start + len(old))},
                  "text": new}
        self.text = self.text[:start] + new + self.text[start + len(old):]
        self.changed([change])

    def diagnostics(self):
        """Of the text as it is now."""
        return self.client.wait_for(
            "textDocument/publishDiagnostics",
            lambda p: p["uri"] == self.uri and p.get("version") == self.version)["diagnostics"]

    def at(self, method, needle, **fields):
        return self.client.request(f"textDocument/{method}", {
            "textDocument": self.id, "position": self.position(self.find(needle)), **fields})

    def hover(self, needle):
        result = self.at("hover", needle)
        return "" if result is None else result["contents"]["value"]

    def definition(self, needle):
        return self.at("definition", needle)

    def completion(self, needle):
        """The items by their labels."""
        result = self.at("completion", needle)
        return {} if result is None else {item["label"]: item for item in result["items"]}

    def slice(self, range):
        """The text in a range, of a text without characters beyond ASCII."""
        lines = self.text.split("\n")
        start, end = range["start"], range["end"]
        if start["line"] == end["line"]:
            return lines[start["line"]][start["character"]:end["character"]]
        middle = lines[start["line"] + 1:end["line"]]
        return "\n".join([lines[start["line"]][start["character"]:], *middle,
                          lines[end["line"]][:end["character"]]])


DRIVER = {
    "channels": {
        "time_in": {"type": "timestamp"},
        "level": {"type": "f64", "index": "time_in", "unit": "m", "desc": "Level of the tank"},
        "inlet_p": {"type": "f32", "index": "time_in"},
        "valve_cmd": {"type": "f64", "virtual": True, "unit": "%"},
        "go": {"type": "u8", "virtual": True},
        "note": {"type": "str", "virtual": True},
    },
    "devices": {"tank": {"backend": "sim", "plant": {"type": "tank_heater"}}},
}
READ_TASK = {"type": "sim_read", "device": "tank", "sample_rate": 100, "stream_rate": 10,
             "channels": [{"type": "plant", "channel": "level", "var": "level"}]}


class Case(unittest.TestCase):
    """A folder with a driver.json, and a client that has said hello."""
    maxDiff = None

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="arc lsp "))
        self.addCleanup(shutil.rmtree, self.dir)
        for name in ("tasks", "automations"):
            (self.dir / name).mkdir()
        self.put("driver.json", DRIVER)
        self.put("tasks/in.json", READ_TASK)
        self.client = self.start()
        self.client.initialize()

    def start(self, *args):
        client = Client(*args)
        self.addCleanup(client.kill)
        return client

    def put(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        (self.dir / name).write_text(text)

    def uri(self, name):
        return (self.dir / name).as_uri()

    def open(self, text, client=None, name="automations/p.arc"):
        return Program(client or self.client, self.uri(name), text)

    def messages(self, program):
        return [d["message"] for d in program.diagnostics()]
