"""A running Driver: the closed loop, its verbs, its signals."""
import json
import signal
import time

from arcd import ROOT, Case, Driver, Folder, verb, wait_until

SPACING = """import time

func spacing_us(t i64 ns) f64 {
    prev $= t
    d := t - prev
    prev = t
    return f64(d) / 1000.0
}

time.interval{period=1ms} -> time.now{} -> spacing_us{} -> loop_spacing_us
"""


class Tank(Case):
    def setUp(self):
        super().setUp()
        Folder.example("tank", self.dir)

    def test_the_loop_holds_the_level(self):
        driver = self.run_driver()
        level = wait_until(lambda: (driver.value("tank_level") or 0) > 0.75 and driver.value("tank_level"),
                           "the tank fills")
        self.assertLess(level, 1.0)
        driver.verb("write", "level_sp=0.6")
        wait_until(lambda: driver.value("tank_level") < 0.7, "the tank empties towards the new set point")

    def test_status_shows_every_task_and_automation_running(self):
        driver = self.run_driver()
        wait_until(lambda: driver.value("heater_state") is not None, "the first command is out")
        status = driver.status()
        self.assertEqual({t["name"]: t["state"] for t in status["tasks"]},
                         {"tank_in": "running", "tank_out": "running"})
        self.assertEqual(status["automations"][0]["state"], "running")
        reader = driver.member("tank_in")
        self.assertEqual((reader["sample_rate_hz"], reader["stream_rate_hz"]), (1000, 50))
        self.assertIn("tank_out", driver.verb("status").stdout)

    def test_sigterm_stops_in_order_and_outputs_go_safe(self):
        driver = self.run_driver()
        wait_until(lambda: (driver.value("inlet_state") or 0) > 0, "the valve opens")
        self.assertEqual(driver.stop(signal.SIGTERM), 0)
        log = driver.log()
        order = [log.index(text) for text in ("[hold] ", "[tank_out] Task stopped", "[tank_in] Task stopped")]
        self.assertEqual(log.rindex("[hold] ", 0, order[1]) < order[1], True)
        self.assertLess(order[1], order[2])
        self.assertFalse(driver.socket.exists())

    def test_sigint_during_the_start_is_a_clean_stop(self):
        for delay in (0.0, 0.005, 0.02, 0.05):
            driver = Driver(self.dir)
            self.stack.callback(driver.stop)
            time.sleep(delay)
            self.assertEqual(driver.stop(signal.SIGINT), 0)

    def test_tasks_stop_and_start_by_name(self):
        driver = self.run_driver()
        wait_until(lambda: driver.value("tank_level") is not None, "the first batch")
        self.assertIn("Task stopped", driver.verb("stop", "tank_in").stdout)
        self.assertEqual(driver.member("tank_in")["state"], "configured")
        before = driver.item("tank_level")["samples"]
        driver.verb("start", "tank_in")
        wait_until(lambda: driver.item("tank_level")["samples"] > before, "samples come again")
        driver.verb("stop", "hold")
        self.assertEqual(driver.member("hold")["state"], "stopped")
        driver.verb("start", "hold")
        self.assertEqual(driver.member("hold")["state"], "running")
        refused = driver.verb("start", "nobody", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no task or automation named 'nobody'", refused.stderr)

    def test_a_tare_makes_the_next_samples_zero(self):
        driver = self.run_driver()
        wait_until(lambda: driver.value("tank_temp") is not None, "the first batch")
        driver.verb("task", "tare", "tank_in", "-c", "tank_temp")
        wait_until(lambda: abs(driver.value("tank_temp")) < 5, "the tare is in force")
        driver.verb("task", "clear-tare", "tank_in")
        wait_until(lambda: driver.value("tank_temp") > 10, "the tare is gone")

    def test_a_write_needs_the_authority(self):
        driver = self.run_driver()
        wait_until(lambda: driver.value("inlet_state") is not None, "the loop runs")
        refused = driver.verb("write", "inlet_cmd=0.5", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("channel 'inlet_cmd' is held by", refused.stderr)
        self.assertIn("(authority 255)", refused.stderr)
        refused = driver.verb("write", "tank_level=0.5", check=False)
        self.assertIn("tank_in", refused.stderr)
        refused = driver.verb("write", "level_sp=high", check=False)
        self.assertIn("'high' is not a value of channel 'level_sp', which is f64", refused.stderr)

    def test_watch_prints_each_new_value(self):
        driver = self.run_driver()
        lines = driver.verb("watch", "tank_level", "-n", "3").stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("tank_level", lines[0])

    def test_timing_has_the_promised_form(self):
        driver = self.run_driver()
        def after_some_cycles():
            timing = json.loads(driver.verb("timing", "--json").stdout)["automations"][0]
            return timing["lateness_us"]["count"] > 5 and timing
        hold = wait_until(after_some_cycles, "some timers fire")
        self.assertEqual(set(hold), {"name", "level", "realtime", "cpu", "cycles", "overruns", "lateness_us",
                                     "comp_time_us", "period_us", "jitter_us", "cpu_share"})
        self.assertEqual(set(hold["lateness_us"]), {"count", "min", "mean", "p50", "p99", "p999", "p9999", "max"})
        self.assertGreaterEqual(hold["lateness_us"]["min"], 0)
        self.assertIn("hold", driver.verb("timing").stdout)

    def test_it_ends_by_itself_and_prints_the_timing_table(self):
        done = verb("run", self.dir, "--for", "2s", "--live", socket=f"{self.dir}/control")
        self.assertIn("tank_level=", done.stdout)
        self.assertRegex(done.stdout, r"automation +level +cycles")

    def test_two_drivers_live_side_by_side(self):
        other = Folder.example("tank", self.dir + "/other")
        first = self.run_driver()
        second = Driver(other.path)
        self.stack.callback(second.stop)
        wait_until(lambda: first.value("tank_level") and second.value("tank_level"), "both run")
        taken = verb("run", self.dir, socket=first.socket, check=False)
        self.assertNotEqual(taken.returncode, 0)
        self.assertIn("another arcd runs already", taken.stderr)


class Spacing(Case):
    def test_a_kilohertz_loop_publishes_its_spacing(self):
        self.folder.put("driver.json", {"channels": {"loop_spacing_us": {"type": "f64", "virtual": True}}})
        self.folder.automation("spacing", SPACING)
        driver = self.run_driver()
        wait_until(lambda: driver.item("loop_spacing_us")["samples"] > 2000, "two thousand runs")
        timing = json.loads(driver.verb("timing", "--json").stdout)["automations"][0]
        period = timing["period_us"]["mean"]
        # Overruns on a busy machine lengthen the mean, and are counted; the grid itself never moves.
        self.assertAlmostEqual(period * timing["period_us"]["count"],
                               1000.0 * (timing["period_us"]["count"] + timing["overruns"]),
                               delta=0.02 * 1000 * timing["period_us"]["count"])
        self.assertGreaterEqual(timing["lateness_us"]["min"], 0)

    def test_the_example_holds_the_program_word_for_word(self):
        self.assertEqual((ROOT / "examples/spacing/automations/spacing.arc").read_text(), SPACING)
