"""arcd reload: what changed is changed, everything else does not notice."""
import json
import os
import signal
import unittest

from arcd import Case, Folder, wait_until

COUNT = """import time

func count{{step i64}}() i64 {{
    n $= 0
    n += step
    return n
}}

time.interval{{period=10ms}} -> count{{step={step}}} -> count_out
"""


class Reload(Case):
    def setUp(self):
        super().setUp()
        Folder.example("tank", self.dir)
        driver = json.loads((self.folder.path / "driver.json").read_text())
        driver["channels"]["count_out"] = {"type": "i64", "virtual": True}
        self.folder.put("driver.json", driver)
        self.folder.automation("count", COUNT.format(step=1))

    def started(self):
        driver = self.run_driver()
        wait_until(lambda: (driver.value("count_out") or 0) > 5 and driver.value("tank_level"), "all runs")
        return driver

    def test_nothing_changed_changes_nothing(self):
        driver = self.started()
        self.assertEqual(driver.verb("reload").stdout, "")
        self.assertEqual(driver.member("count")["state"], "running")

    def test_a_changed_program_is_swapped_while_the_others_go_on(self):
        driver = self.started()
        self.folder.put("automations/count.arc", COUNT.format(step=1000))
        missed = driver.member("tank_in")["counters"]["lost_samples"]
        self.assertEqual(driver.verb("reload").stdout.split(), ["changed", "count"])
        wait_until(lambda: driver.value("count_out") % 1000 == 0 and driver.value("count_out") > 5000,
                   "the new program counts")
        self.assertEqual(driver.member("tank_in")["counters"]["lost_samples"], missed)
        self.assertEqual(driver.member("tank_in")["counters"]["restarts"], 0)

    def test_a_program_that_does_not_compile_leaves_the_old_one_running(self):
        driver = self.started()
        self.folder.put("automations/count.arc", "nonsense -> count_out\n")
        refused = driver.verb("reload", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("automations/count.arc:1:0: error[ARC4001]", refused.stderr)
        before = driver.value("count_out")
        wait_until(lambda: driver.value("count_out") > before, "the old program counts on")
        self.folder.put("automations/count.arc", COUNT.format(step=1000))
        driver.verb("reload")
        wait_until(lambda: driver.value("count_out") % 1000 == 0, "the mended program is taken")

    def test_a_changed_task_is_restarted_and_only_that(self):
        driver = self.started()
        task = json.loads((self.folder.path / "tasks/tank_in.json").read_text())
        task["stream_rate"] = 100
        self.folder.put("tasks/tank_in.json", task)
        self.assertEqual(driver.verb("reload").stdout.split(), ["changed", "tank_in"])
        wait_until(lambda: driver.member("tank_in")["stream_rate_hz"] == 100, "the new rate")
        self.assertEqual(driver.member("tank_out")["state"], "running")

    def test_what_comes_and_goes(self):
        driver = self.started()
        self.folder.automation("late", "tank_level + 0.0 -> level_sp\n", auto_start=False)
        (self.folder.path / "automations/count.json").unlink()
        self.assertEqual(sorted(driver.verb("reload").stdout.split()), ["added", "count", "late", "removed"])
        self.assertEqual({a["name"] for a in driver.status()["automations"]}, {"hold", "late"})
        self.assertEqual(driver.member("late")["state"], "stopped")

    def test_declarations_are_read_at_start_only(self):
        driver = self.started()
        config = json.loads((self.folder.path / "driver.json").read_text())
        config["channels"]["more"] = {"type": "f64", "virtual": True}
        self.folder.put("driver.json", config)
        self.assertIn("restart it", driver.verb("reload", check=False).stderr)

    def test_sighup_reloads(self):
        driver = self.started()
        self.folder.put("automations/count.arc", COUNT.format(step=1000))
        driver.process.send_signal(signal.SIGHUP)
        wait_until(lambda: driver.value("count_out") % 1000 == 0, "the new program counts")

    @unittest.skipIf(os.environ.get("ARCD_SANITIZE"), "an instrumented allocator keeps what was freed")
    def test_fifty_reloads_leave_memory_flat(self):
        driver = self.started()

        def resident():
            status = open(f"/proc/{driver.process.pid}/status").read()
            return int(status.split("VmRSS:")[1].split()[0])
        for i in range(50):
            self.folder.put("automations/count.arc", COUNT.format(step=1000 + i % 2))
            driver.verb("reload")
            if i == 9:
                before = resident()
        self.assertLess(resident() - before, 2048)
