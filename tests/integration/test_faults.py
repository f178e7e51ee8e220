"""What goes wrong in the field: the rest goes on, the status says what happened, outputs go safe."""
from arcd import Case, wait_until

CHANNELS = {
    "t": {"type": "timestamp"}, "level": {"type": "f64", "index": "t"},
    "u": {"type": "timestamp"}, "other": {"type": "f64", "index": "u"},
    "go": {"type": "i64", "virtual": True}, "echo": {"type": "f64", "virtual": True},
    "valve_cmd": {"type": "f64", "virtual": True}, "heater_cmd": {"type": "f64", "virtual": True},
    "s": {"type": "timestamp"},
    "valve_state": {"type": "f64", "index": "s"}, "heater_state": {"type": "f64", "index": "s"},
}


def sim(**fields):
    return {"backend": "sim", "plant": {"type": "tank_heater", "area": 0.01}, **fields}


def read(channel, device, **fields):
    return {"type": "sim_read", "device": device, "auto_start": True, "sample_rate": 100, "stream_rate": 20,
            "channels": [{"type": "plant", "channel": channel, "var": "level"}], **fields}


class Faults(Case):
    def start(self, faults=(), **driver):
        self.folder.put("driver.json", {
            "channels": CHANNELS, "devices": {"a": sim(faults=list(faults)), "b": sim()},
            "retry": {"base": "50ms", "max": "200ms", "max_retries": -1}, **driver})
        self.folder.put("tasks/in_a.json", read("level", "a"))
        self.folder.put("tasks/in_b.json", read("other", "b"))
        self.folder.put("tasks/out.json", {
            "type": "sim_write", "device": "b", "auto_start": True, "state_rate": 20,
            "channels": [
                {"type": "plant_in", "cmd_channel": "valve_cmd", "state_channel": "valve_state", "input": "inlet",
                 "safe_value": 0.25},
                {"type": "plant_in", "cmd_channel": "heater_cmd", "state_channel": "heater_state", "input": "heater",
                 "safe_value": 0}]})
        return self.run_driver()

    def test_a_device_that_disappears_comes_back_by_itself(self):
        driver = self.start(faults=[{"at": "1s", "for": "1s", "kind": "disconnect"}])
        gone = wait_until(lambda: (m := driver.member("in_a"))["variant"] == "warning" and m, "the device is lost")
        self.assertIn("retry", gone["message"])
        self.assertEqual(gone["state"], "running")
        self.assertEqual(driver.member("in_b")["variant"], "success")
        other = driver.item("other")["samples"]
        wait_until(lambda: driver.member("in_a")["message"] == "Task running", "it is back")
        before = driver.item("level")["samples"]
        wait_until(lambda: driver.item("level")["samples"] > before, "samples come again")
        self.assertGreater(driver.item("other")["samples"], other)

    def test_a_critical_error_stops_one_task_only(self):
        driver = self.start(faults=[{"at": "0.5s", "for": "1h", "kind": "error", "class": "C", "code": -7,
                                     "text": "converter burnt"}])
        failed = wait_until(lambda: (m := driver.member("in_a"))["state"] == "faulted" and m, "the task gives up")
        self.assertEqual(failed["variant"], "error")
        self.assertIn("converter burnt", failed["message"])
        before = driver.item("other")["samples"]
        wait_until(lambda: driver.item("other")["samples"] > before, "the other task goes on")

    def test_a_stalled_device_does_not_hold_up_the_stop(self):
        driver = self.start(faults=[{"at": "0.5s", "for": "1h", "kind": "stall"}])
        wait_until(lambda: driver.value("level") is not None, "it ran before")
        self.assertEqual(driver.stop(), 0)

    def test_a_program_that_divides_by_zero_stops_alone_and_its_outputs_go_safe(self):
        self.folder.automation("broken", "func f(n i64) f64 {\n    return f64(10 / n)\n}\ngo -> f{} -> valve_cmd\n")
        self.folder.automation("steady", "other -> echo\n")
        driver = self.start()
        wait_until(lambda: driver.value("echo") is not None, "the other program runs")
        driver.verb("write", "go=2")
        wait_until(lambda: driver.value("valve_state") == 5.0 or driver.value("valve_state") == 1.0, "a good command")
        driver.verb("write", "go=0")
        broken = wait_until(lambda: (m := driver.member("broken"))["state"] != "running" and m, "the program stops")
        self.assertEqual(broken["variant"], "error")
        for word in ("division by zero", "f", "line 2"):
            self.assertIn(word, broken["message"])
        wait_until(lambda: driver.value("valve_state") == 0.25, "the output is at its safe value")
        before = driver.item("echo")["samples"]
        wait_until(lambda: driver.item("echo")["samples"] > before, "the other program goes on")
        driver.verb("start", "broken")
        driver.verb("write", "go=1")
        wait_until(lambda: driver.value("valve_state") in (10.0, 1.0), "it runs again after a start")

    def test_an_endless_loop_stops_its_program_and_nothing_else(self):
        self.folder.automation("endless", "func f(n i64) i64 {\n    for {\n        n += 1\n    }\n    return n\n}\n"
                                          "go -> f{} -> go\n".replace("-> go\n", "-> back\n"))
        channels = {**CHANNELS, "back": {"type": "i64", "virtual": True}}
        self.folder.automation("steady", "other -> echo\n")
        CHANNELS_BEFORE = dict(CHANNELS)
        CHANNELS.update(channels)
        self.addCleanup(lambda: (CHANNELS.clear(), CHANNELS.update(CHANNELS_BEFORE)))
        driver = self.start()
        driver.verb("write", "go=1")
        endless = wait_until(lambda: (m := driver.member("endless"))["state"] != "running" and m, "it is stopped")
        self.assertIn("budget", endless["message"])
        before = driver.item("echo")["samples"]
        wait_until(lambda: driver.item("echo")["samples"] > before, "the other program goes on")

    def test_no_command_for_a_while_sets_the_output_safe(self):
        driver = self.start()
        self.folder.put("tasks/out.json", "{}")  # only the running Driver's own copy counts
        driver.verb("write", "valve_cmd=0.5")
        wait_until(lambda: driver.value("valve_state") == 0.5, "the command is out")
        driver.verb("task", "safe", "out")
        wait_until(lambda: driver.value("valve_state") == 0.25, "the output is safe")

    def test_commands_are_clamped_in_the_open(self):
        driver = self.start()
        driver.verb("write", "valve_cmd=nan")
        wait_until(lambda: "not a number" in driver.log(), "the refusal is logged")
        self.assertNotEqual(driver.value("valve_state"), float("nan"))
