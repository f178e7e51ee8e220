"""examples/modbus with its server, which is pymodbus: read, decide, write; the server dies and comes back."""
import json
import socket
import subprocess
import sys

from arcd import ROOT, Case, Folder, wait_until


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Oven(Case):
    def setUp(self):
        super().setUp()
        Folder.example("modbus", self.dir)
        self.port = free_port()
        config = json.loads((self.folder.path / "driver.json").read_text())
        config["devices"]["plc"]["port"] = self.port
        config["retry"] = {"base": "100ms", "max": "500ms", "max_retries": -1}
        self.folder.put("driver.json", config)
        self.server = None
        self.addCleanup(self.kill_server)

    def start_server(self):
        self.server = subprocess.Popen([sys.executable, str(ROOT / "examples/modbus/server.py"), str(self.port)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: listens(self.port), "the server listens")

    def kill_server(self):
        if self.server:
            self.server.kill()
            self.server.wait()
        self.server = None

    def test_the_burner_is_switched_by_what_is_read(self):
        self.start_server()
        driver = self.run_driver()
        wait_until(lambda: driver.value("oven_temp") is not None, "a temperature is read")
        self.assertGreater(driver.value("oven_temp"), 100)
        self.assertEqual(driver.value("oven_hours"), 12345)
        wait_until(lambda: driver.value("burner_state") == 1, "the oven is cold, the burner is on")
        start = driver.value("oven_temp")
        wait_until(lambda: driver.value("oven_temp") > start + 1, "the oven gets warmer")
        driver.verb("stop", "oven")
        wait_until(lambda: driver.value("burner_state") == 0, "no command for two seconds: the burner is off")

    def test_a_server_that_dies_and_comes_back(self):
        self.start_server()
        driver = self.run_driver()
        wait_until(lambda: driver.value("burner_state") == 1, "all is well")
        self.kill_server()
        lost = wait_until(lambda: (m := driver.member("plc_in"))["variant"] == "warning" and m, "the link is lost")
        self.assertEqual(lost["state"], "running")
        samples = driver.item("oven_temp")["samples"]
        self.start_server()
        wait_until(lambda: driver.item("oven_temp")["samples"] > samples + 20, "samples come again")
        wait_until(lambda: driver.member("plc_in")["variant"] == "success", "and the task says so")

    def test_without_a_server_everything_else_is_up(self):
        driver = self.run_driver()
        status = driver.status()
        self.assertEqual(status["automations"][0]["state"], "running")
        waiting = driver.member("plc_in")
        self.assertIn(str(self.port), waiting["message"])
        self.assertEqual(driver.stop(), 0)
