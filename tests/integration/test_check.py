"""arcd check and the refusal to run: every kind of bad configuration, named with its place."""
import json

from arcd import ROOT, Case, verb

GOOD_DRIVER = {
    "channels": {
        "t": {"type": "timestamp"},
        "level": {"type": "f64", "index": "t"},
        "valve_cmd": {"type": "f64", "virtual": True},
    },
    "devices": {"tank": {"backend": "sim", "plant": {"type": "tank_heater"}}},
}
GOOD_READ = {
    "type": "sim_read", "device": "tank", "sample_rate": 100, "stream_rate": 10,
    "channels": [{"type": "plant", "channel": "level", "var": "level"}],
}


class Check(Case):
    def setUp(self):
        super().setUp()
        self.folder.put("driver.json", GOOD_DRIVER).put("tasks/in.json", GOOD_READ)

    def errors(self):
        done = verb("check", self.dir, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def assert_says(self, *texts):
        errors = self.errors()
        for text in texts:
            self.assertIn(text, errors)

    def test_a_good_folder_says_what_it_will_do(self):
        done = verb("check", self.dir)
        self.assertIn("1 channel at 100 Hz, batches of 10 at 10 Hz", done.stdout)

    def test_the_examples_are_good(self):
        for example in sorted((ROOT / "examples").iterdir()):
            if (example / "driver.json").exists():
                verb("check", example)

    def test_every_error_is_reported_at_once(self):
        bad = {**GOOD_READ, "sample_rate": "fast", "sampel_rate": 1}
        bad["channels"] = [{"type": "plant", "channel": "lvel", "var": "level"}]
        self.folder.put("tasks/in.json", bad)
        self.folder.put("driver.json", {**GOOD_DRIVER, "devises": {}})
        self.assert_says("driver.json: devises: unknown field 'devises' (did you mean 'devices'?)",
                         "tasks/in.json: sample_rate: must be a number",
                         "tasks/in.json: sampel_rate: unknown field 'sampel_rate' (did you mean 'sample_rate'?)",
                         "tasks/in.json: channels[0].channel: channel 'lvel' is not declared")

    def test_wrong_types_and_missing_fields(self):
        self.folder.put("tasks/in.json", {"type": "sim_read", "channels": 7})
        self.assert_says("sample_rate: is required", "channels: must be an array")

    def test_stream_rate_above_sample_rate(self):
        self.folder.put("tasks/in.json", {**GOOD_READ, "stream_rate": 1000})
        self.assert_says("sample_rate must be at least stream_rate")

    def test_unknown_device(self):
        self.folder.put("tasks/in.json", {**GOOD_READ, "device": "tonk"})
        self.assert_says("tasks/in.json: device: device 'tonk' is not declared")

    def test_one_channel_twice_in_a_task(self):
        channel = GOOD_READ["channels"][0]
        self.folder.put("tasks/in.json", {**GOOD_READ, "channels": [channel, channel]})
        self.assert_says("channel 'level' is used twice")

    def test_two_tasks_that_write_one_channel(self):
        for name in ("in", "other"):
            self.folder.put(f"tasks/{name}.json", {**GOOD_READ, "auto_start": True})
        self.assert_says("tasks/other.json: channels[0].channel: channel 'level' is already written by task 'in'")

    def test_a_huge_number(self):
        self.folder.put("tasks/in.json", json.dumps(GOOD_READ).replace("100", "1e999", 1))
        self.assert_says("tasks/in.json:")

    def test_a_truncated_file(self):
        self.folder.put("tasks/in.json", json.dumps(GOOD_READ, indent=1)[:60])
        self.assert_says("tasks/in.json:")
        self.assertRegex(self.errors(), r"tasks/in\.json:\d+:\d+: ")

    def test_a_byte_order_mark_and_crlf_are_fine(self):
        text = json.dumps(GOOD_READ, indent=1).replace("\n", "\r\n")
        self.folder.put("tasks/in.json", b"\xef\xbb\xbf" + text.encode())
        verb("check", self.dir)

    def test_text_that_is_not_utf8(self):
        self.folder.put("tasks/in.json", json.dumps(GOOD_READ).encode().replace(b"tank", b"t\xffnk"))
        self.assertRegex(self.errors(), r"tasks/in\.json:\d+:\d+: ")

    def test_a_duplicate_key(self):
        text = json.dumps(GOOD_READ).replace('"sample_rate"', '"sample_rate": 1, "sample_rate"')
        self.folder.put("tasks/in.json", text)
        self.assert_says("sample_rate")

    def test_a_program_that_does_not_compile_names_line_and_hint(self):
        self.folder.automation("ctl", "func f(x f64) f64 {\n    return x + y\n}\nlevel -> f{} -> valve_cmd\n")
        self.assert_says("automations/ctl.arc:2:15: error[ARC4001]", "return x + y", "^")

    def test_a_program_must_not_write_a_measured_channel(self):
        self.folder.automation("ctl", "1.0 -> level\n")
        self.assert_says("automations/ctl.arc:1:", "level")

    def test_a_program_that_is_not_there(self):
        self.folder.put("automations/ctl.json", {"type": "arc", "source": "nowhere.arc"})
        self.assert_says("automations/ctl.json: source:", "nowhere.arc")

    def test_run_refuses_what_check_refuses(self):
        self.folder.put("tasks/in.json", {**GOOD_READ, "device": "tonk"})
        done = verb("run", self.dir, "--for", "1s", socket=f"{self.dir}/control", check=False)
        self.assertEqual(done.returncode, 78)
        self.assertIn("device 'tonk' is not declared", done.stderr)

    def test_no_folder(self):
        done = verb("check", f"{self.dir}/none", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none", done.stderr)

    def test_json_for_editors(self):
        self.folder.automation("ctl", "nonsense -> valve_cmd\n")
        done = verb("check", self.dir, "--json", check=False)
        report = json.loads(done.stdout)
        self.assertFalse(report["ok"])
        self.assertEqual(report["programs"][0]["diagnostics"][0]["code"], "ARC4001")


class CommandLine(Case):
    def test_help_of_every_verb(self):
        overview = verb("help").stdout
        for line in overview.splitlines():
            if line.startswith("  "):
                name = line.split()[0]
                self.assertIn("Usage: arcd " + name, verb(name, "--help").stdout)

    def test_an_unknown_verb_is_a_usage_error(self):
        done = verb("strat", check=False)
        self.assertEqual(done.returncode, 64)
        self.assertIn("'strat'", done.stderr)

    def test_without_a_driver_verbs_say_how_to_start_one(self):
        done = verb("status", socket=f"{self.dir}/control", check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("arcd run DIR", done.stderr)

    def test_the_reference_is_what_the_tables_say(self):
        page = (ROOT / "docs" / "configuration.md").read_text()
        self.assertEqual(page, verb("docs").stdout, "run: arcd docs > docs/configuration.md")


class Format(Case):
    UGLY = "import   time\n\n\n\ntime.interval{period=1s}->tick // every second\n"
    NEAT = "import time\n\ntime.interval{period=1s} -> tick // every second\n"

    def test_a_file_is_formatted_in_place_and_stays_so(self):
        self.folder.put("a.arc", self.UGLY)
        path = self.folder.path / "a.arc"
        unformatted = verb("fmt", "--check", path, check=False)
        self.assertEqual((unformatted.returncode, unformatted.stdout.strip()), (1, str(path)))
        verb("fmt", path)
        self.assertEqual(path.read_text(), self.NEAT)
        verb("fmt", "--check", path)

    def test_a_syntax_error_leaves_the_file_alone(self):
        self.folder.put("a.arc", "func f( {\n")
        path = self.folder.path / "a.arc"
        done = verb("fmt", path, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.arc:1:", done.stderr)
        self.assertEqual(path.read_text(), "func f( {\n")

    def test_the_examples_are_formatted(self):
        verb("fmt", "--check", *sorted((ROOT / "examples").rglob("*.arc")))
