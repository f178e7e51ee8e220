"""arcd bench: what it prints, and that nothing of it is left behind."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.dom.minidom

from arcd import ARCD, PATIENCE_S, wait_until

SIDE = ["count", "mean_us", "p50_us", "p99_us", "p999_us", "p9999_us", "worst_us"]
RATIO = ["mean", "p50", "p99", "p999", "p9999", "worst"]


def bench(*args, check=True, **kwargs):
    done = subprocess.run([ARCD, "bench", *args], capture_output=True, text=True, timeout=PATIENCE_S * 5, **kwargs)
    if check and done.returncode != 0:
        raise AssertionError(f"{args} exited {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def runs(*args, **kwargs):
    return json.loads(bench(*args, "--json", **kwargs).stdout)["runs"]


def commands():
    """The names of all processes, by their number."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:
                pass
    return found


def descendants(pid):
    """All processes below one, by /proc."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, new = set(), [pid]
    while new:
        for child in children.get(new.pop(), []):
            found.add(child)
            new.append(child)
    return found


def need(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


class Shape(unittest.TestCase):
    def check_run(self, run, test, early=True):
        self.assertEqual(run["test"], test)
        self.assertEqual([k for k in run["ours"] if k != "cpu_share"], SIDE)
        self.assertGreater(run["ours"]["count"], 0)
        figures = [run["ours"][k] for k in SIDE[2:]]
        self.assertEqual(figures, sorted(figures), "quantiles grow")
        if early:
            self.assertEqual(run["early"], 0)
        if "versus" in run:
            self.assertEqual(list(run["versus"]), ["name"] + SIDE)
            self.assertEqual(list(run["ratio"]), RATIO)

    def test_timers_has_a_run_for_each_rate_and_level(self):
        found = runs("timers", "--rate", "1khz,100hz", "--level", "low,auto,medium,high", "--duration", "0.3s")
        self.assertEqual([(r["rate_hz"], r["level"]) for r in found],
                         [(rate, level) for rate in (1000, 100) for level in ("low", "auto", "medium", "high")])
        for run in found:
            self.check_run(run, "timers")
            self.assertEqual(list(run), ["test", "rate_hz", "level", "load", "realtime", "cpu", "early",
                                         "overruns", "ours"])
            self.assertEqual(run["load"], "idle")

    @need("cyclictest")
    def test_timers_versus_cyclictest_has_the_ratio_of_every_figure(self):
        run, = runs("timers", "-r", "1khz", "-l", "medium", "-d", "2s", "--versus", "cyclictest")
        self.check_run(run, "timers")
        self.assertEqual(list(run)[-3:], ["ours", "versus", "ratio"])
        self.assertEqual(run["versus"]["name"], "cyclictest")
        self.assertGreater(run["versus"]["count"], 100)
        self.assertAlmostEqual(run["ratio"]["worst"], run["ours"]["worst_us"] / run["versus"]["worst_us"], delta=0.01)

    def test_the_picture_is_well_formed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "late.svg")
            bench("timers", "-l", "auto", "-d", "0.3s", "-H", path)
            picture = xml.dom.minidom.parse(path)
            self.assertEqual(picture.documentElement.tagName, "svg")

    def test_the_table_names_every_column_and_says_that_none_fired_early(self):
        out = bench("timers", "-l", "auto", "-d", "0.3s").stdout
        for word in ("rate", "level", "p50", "p99.9", "p99.99", "worst", "cpu", "1 kHz", "auto", "arcd"):
            self.assertIn(word, out)
        self.assertIn("fires before their deadline: 0;", out)

    @need("stress-ng")
    def test_latency_runs_under_stress(self):
        run, = runs("latency", "--duration", "1s")
        self.check_run(run, "latency")
        self.assertEqual((run["rate_hz"], run["level"], run["load"]), (20000, "high", "loaded"))

    def test_sleep_has_each_call_in_each_case_and_ours_never_ends_early(self):
        found = runs("sleep", "--calls", "60", "--time", "2ms")
        self.assertEqual([(r["load"], r["realtime"]) for r in found if not r["realtime"]],
                         [("idle", False), ("loaded", False)])
        for run in found:
            self.assertEqual((run["test"], run["sleep_us"], run["early"]), ("sleep", 2000, 0))
            self.assertEqual([call["name"] for call in run["calls"]], ["usleep", "clock_nanosleep", "arcd"])
            for call in run["calls"]:
                self.assertEqual(call["count"], 60)
                self.assertTrue(2000 <= call["min_us"] <= call["p50_us"] <= call["worst_us"], call)
        table = bench("sleep", "--calls", "5").stdout
        for word in ("max", "min", "avg", "usleep", "10 busy loops", "ended early: 0"):
            self.assertIn(word, table)

    def test_wait_holds_for_each_time_and_never_less(self):
        found = runs("wait", "--holds", "3", "--level", "medium")
        self.assertEqual([r["wait_ms"] for r in found], [1, 10, 100, 1000])
        for run in found:
            self.check_run(run, "wait")
            self.assertEqual((run["level"], run["ours"]["count"]), ("medium", 3))
        self.assertIn("before their deadline: 0", bench("wait", "--holds", "1").stdout)

    def test_many_automations_on_few_cores_leave_half_of_each_core(self):
        """Automations that look at the clock side by side once made each other late and then looked for longer."""
        run, = runs("fair", "--automations", "60", "--duration", "4s")
        self.check_run(run, "fair")
        self.assertEqual((run["rate_hz"], run["level"], run["automations"]), (100, "auto", 60))
        self.assertEqual(len(run["timing"]), 60)
        self.assertTrue(all(row["cycles"] > 0 for row in run["timing"]))
        for spread in run["spread"].values():
            self.assertTrue(0 <= spread["least"] <= spread["median"] <= spread["most"])
        if run["realtime"]:
            self.assertLess(run["ours"]["cpu_share"], 0.65 * run["cores"])

    def test_without_the_programs_it_says_so_and_measures_what_it_can(self):
        done = bench("timers", "-l", "low", "-d", "0.3s", "--versus", "cyclictest", "--load", "loaded", "--json",
                     env={**os.environ, "PATH": "/nowhere"})
        run, = json.loads(done.stdout)["runs"]
        self.assertEqual(run["load"], "idle")
        self.assertNotIn("versus", run)
        self.assertIn("no load, all that follows is measured on an idle machine: stress-ng is not installed",
                      done.stderr)
        self.assertIn("no comparison: cyclictest is not installed", done.stderr)

    def test_wrong_options_are_refused_with_the_right_form(self):
        for args, word in ((["timers", "--rate", "1mhz"], "1khz"), (["timers", "--level", "top"], "low, auto"),
                           (["timers", "--duration", "0"], "60s"), (["timers", "--load", "full"], "idle or loaded"),
                           (["timers", "--versus", "x"], "cyclictest"), (["weather"], "no question 'weather'"),
                           (["latency", "now"], "no argument")):
            done = bench(*args, check=False)
            self.assertEqual(done.returncode, 64, args)
            self.assertIn(word, done.stderr)


@need("stress-ng")
@need("cyclictest")
class Interrupted(unittest.TestCase):
    """A measurement that would take minutes, ended in each of its parts."""

    def start(self):
        return subprocess.Popen([ARCD, "bench", "timers", "--level", "low", "--duration", "100s", "--load", "loaded",
                                 "--versus", "cyclictest", "--json"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, process, name):
        """All its descendants, once one of that name is among them."""
        def there():
            self.assertIsNone(process.poll())
            names, below = commands(), descendants(process.pid)
            return below if any(names.get(pid, "").startswith(name) for pid in below) else None
        return wait_until(there, f"{name} runs")

    def fires(self, pid):
        """How often the automation's thread has slept."""
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                if (task / "comm").read_text().strip() == "timer":
                    status = (task / "status").read_text()
                    return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])
            except OSError:
                pass
        return 0

    def all_gone(self, pids):
        names = commands()
        return not any(names.get(pid, "").startswith(("stress-ng", "cyclictest")) for pid in pids)

    def end(self, process, signum):
        with process:
            below = descendants(process.pid)
            process.send_signal(signum)
            out, _ = process.communicate(timeout=PATIENCE_S)
        wait_until(lambda: self.all_gone(below), "nothing is left")
        return out

    def test_ctrl_c_in_our_turn_prints_what_there_is(self):
        process = self.start()
        wait_until(lambda: self.fires(process.pid) > 10, "the automation runs")
        out = self.end(process, signal.SIGINT)
        self.assertEqual(process.returncode, 0)
        run, = json.loads(out)["runs"]
        self.assertGreater(run["ours"]["count"], 0)
        self.assertEqual((run["load"], run["early"]), ("loaded", 0))

    def test_ctrl_c_in_the_turn_of_cyclictest_prints_both(self):
        process = self.start()
        self.wait_for(process, "cyclictest")
        run, = json.loads(self.end(process, signal.SIGINT))["runs"]
        self.assertGreater(run["ours"]["count"], 0)
        self.assertEqual(process.returncode, 0)

    def test_ctrl_c_at_the_very_start_leaves_nothing(self):
        for delay in (0.0, 0.05, 0.3, 1.0):
            process = self.start()
            time.sleep(delay)
            self.end(process, signal.SIGINT)

    def test_sigterm_and_kill_leave_nothing(self):
        for signum in (signal.SIGTERM, signal.SIGKILL):
            for part in ("stress-ng", "cyclictest"):
                process = self.start()
                self.wait_for(process, part)
                self.end(process, signum)


if __name__ == "__main__":
    unittest.main()
