"""The language server as an editor meets it: whole sessions over its standard input and output."""
import json
import pathlib
import re

from client import CAPABILITIES, DRIVER, PATIENCE_S, ROOT, Case, Program, frame

GOOD = """\
import time

// Above this the tank runs over.
LIMIT f64 := 1.5

// A proportional controller.
// It knows no integral.
func p{gain f64, bias f64 = 0.0}(value f64) f64 {
    sum $= 0.0
    err := LIMIT - value
    twice := err * 2.0
    for i := range(3) {
        sum += f64(i)
    }
    return gain * twice + bias + sum
}

level -> p{gain=2.0} -> valve_cmd

sequence fill {
    0.0 -> valve_cmd
    stage filling {
        level > LIMIT => full
        time.wait{duration=5s} => next
    }
    stage full {
        1.0 -> valve_cmd
    }
}

go => fill
"""


class Sessions(Case):
    def test_the_server_says_what_it_can(self):
        result = self.start().initialize()
        able = result["capabilities"]
        self.assertEqual(able["textDocumentSync"], {"openClose": True, "change": 2, "save": True})
        for name in ("hoverProvider", "definitionProvider", "documentSymbolProvider",
                     "documentFormattingProvider"):
            self.assertIs(able[name], True)
        self.assertIn(".", able["completionProvider"]["triggerCharacters"])
        self.assertEqual(able["positionEncoding"], "utf-16")
        self.assertEqual(result["serverInfo"]["name"], "arcd")

    def test_shutdown_and_exit_end_it_with_0(self):
        self.open(GOOD)
        self.assertEqual(self.client.quit(), 0)

    def test_exit_without_shutdown_ends_it_with_1(self):
        self.client.notify("exit", None)
        self.assertEqual(self.client.process.wait(PATIENCE_S), 1)

    def test_the_end_of_its_input_ends_it(self):
        self.client.process.stdin.close()
        self.assertEqual(self.client.process.wait(PATIENCE_S), 1)

    def test_before_initialize_there_are_no_answers(self):
        client = self.start()
        self.assertEqual(client.ask("textDocument/hover", {})["error"]["code"], -32002)
        client.initialize()

    def test_after_shutdown_there_are_no_answers(self):
        self.client.request("shutdown", None)
        self.assertEqual(self.client.ask("textDocument/hover", {})["error"]["code"], -32600)
        self.client.notify("exit", None)
        self.assertEqual(self.client.process.wait(PATIENCE_S), 0)

    def test_a_second_initialize_is_refused(self):
        self.assertEqual(self.client.ask("initialize", {})["error"]["code"], -32600)


class Diagnostics(Case):
    def test_a_good_program_has_none(self):
        self.assertEqual(self.open(GOOD).diagnostics(), [])

    def test_the_examples_have_none(self):
        programs = sorted(ROOT.glob("examples/*/automations/*.arc"))
        self.assertGreater(len(programs), 0)
        for path in programs:
            self.assertEqual(Program(self.client, path.as_uri(), path.read_text()).diagnostics(), [])

    def test_they_come_and_go_with_edits(self):
        program = self.open(GOOD)
        self.assertEqual(program.diagnostics(), [])
        program.replace("level -> p", "lvel -> p")
        [found] = program.diagnostics()
        self.assertEqual(found["code"], "ARC4001")
        self.assertEqual(found["severity"], 1)
        self.assertEqual(found["source"], "arc")
        self.assertIn("undefined symbol: lvel", found["message"])
        self.assertIn("hint: did you mean 'level' or 'len'?", found["message"])
        self.assertEqual(program.slice(found["range"]), "lvel")
        program.replace("lvel", "level")
        self.assertEqual(program.diagnostics(), [])

    def test_notes_are_in_the_message(self):
        program = self.open("func f() f64 { return 1.0 }\nlevel -> f -> valve_cmd\n")
        self.assertIn("note: 'f' is a function: write f{}", self.messages(program)[0])

    def test_an_unused_import_is_marked_as_unnecessary(self):
        [found] = self.open("import math\n").diagnostics()
        self.assertEqual((found["code"], found["tags"]), ("ARC5001", [1]))

    def test_a_deprecated_name_is_a_warning(self):
        [found] = self.open("go => wait{1s} -> note2\n".replace("note2", "go")).diagnostics()
        self.assertEqual((found["code"], found["severity"], found["tags"]), ("ARC4003", 2, [2]))

    def test_several_changes_in_one_message_apply_one_after_the_other(self):
        program = self.open("1 -> go\n")
        program.diagnostics()
        place = lambda character: {"line": 0, "character": character}
        program.text = "0 -> gone\n"
        program.changed([
            {"range": {"start": place(7), "end": place(7)}, "text": "ne"},
            {"range": {"start": place(0), "end": place(1)}, "text": "0"}])
        [found] = program.diagnostics()
        self.assertIn("gone", found["message"])
        self.assertEqual(program.slice(found["range"]), "gone")

    def test_positions_count_utf16_units(self):
        program = self.open("/* \U0001F680\u00e9 */ lvel -> valve_cmd\n")
        [found] = program.diagnostics()
        start = found["range"]["start"]
        self.assertEqual(start, program.position(program.find("lvel")))
        self.assertEqual(start["character"], len("/* xx\u00e9 */ "))
        program.replace("\U0001F680\u00e9", "\u00e9\U0001F680\U0001F680")
        program.replace("lvel", "level")
        self.assertEqual(program.diagnostics(), [])

    def test_positions_count_bytes_where_the_client_wants_utf8(self):
        client = self.start()
        encodings = {"general": {"positionEncodings": ["utf-8", "utf-16"]}, **CAPABILITIES}
        self.assertEqual(client.initialize(encodings)["capabilities"]["positionEncoding"], "utf-8")
        program = self.open("/* \U0001F680\u00e9 */ lvel -> valve_cmd\n", client)
        [found] = program.diagnostics()
        self.assertEqual(found["range"]["start"], program.position(program.find("lvel"), "utf-8"))

    def test_closing_takes_them_back(self):
        program = self.open("x\n")
        self.assertNotEqual(program.diagnostics(), [])
        self.client.notify("textDocument/didClose", {"textDocument": program.id})
        gone = self.client.wait_for("textDocument/publishDiagnostics")
        self.assertEqual(gone, {"uri": program.uri, "diagnostics": []})
        self.assertIn("error", self.client.ask("textDocument/hover", {
            "textDocument": program.id, "position": {"line": 0, "character": 0}}))

    def test_at_most_500_are_sent_and_the_rest_is_counted(self):
        found = self.open("x -> go\n" * 600).diagnostics()
        self.assertEqual(len(found), 501)
        self.assertEqual(found[-1]["message"], "100 more are not shown")


class Channels(Case):
    def test_what_a_task_measures_cannot_be_written(self):
        self.assertIn("read-only", self.messages(self.open("1.0 -> level\n"))[0])

    def test_a_changed_driver_json_is_read_again(self):
        program = self.open("pump -> go\n")
        self.assertNotEqual(program.diagnostics(), [])
        self.put("driver.json", {**DRIVER, "channels": {
            **DRIVER["channels"], "pump": {"type": "u8", "virtual": True}}})
        self.assertEqual(program.diagnostics(), [])

    def test_a_client_that_can_watch_is_asked_to(self):
        client = self.start()
        client.initialize({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        [registration] = client.wait_for("client/registerCapability")["registrations"]
        self.assertEqual(registration["method"], "workspace/didChangeWatchedFiles")
        client.send({"jsonrpc": "2.0", "id": "watch", "result": None})
        program = self.open("pump -> go\n", client)
        self.assertNotEqual(program.diagnostics(), [])
        self.put("driver.json", {"channels": {"pump": {"type": "u8", "virtual": True},
                                              "go": {"type": "u8", "virtual": True}}})
        client.notify("workspace/didChangeWatchedFiles", {
            "changes": [{"uri": self.uri("driver.json"), "type": 2}]})
        self.assertEqual(program.diagnostics(), [])

    def test_a_broken_driver_json_leaves_the_channels_and_is_told(self):
        program = self.open(GOOD)
        self.assertEqual(program.diagnostics(), [])
        self.put("driver.json", '{"channels": {')
        told = self.client.wait_for("window/logMessage")
        self.assertIn("driver.json:", told["message"])
        program.replace("1.0 -> valve_cmd", "2.0 -> valve_cmd")
        self.assertEqual(program.diagnostics(), [])

    def test_a_channel_with_a_wrong_field_is_known_all_the_same(self):
        self.put("driver.json", {"channels": {"go": {"type": "u8", "virtual": True, "colour": 7}}})
        self.assertEqual(self.open("1 -> go\n").diagnostics(), [])

    def test_they_come_from_a_file_on_the_command_line(self):
        self.put("other.json", {"only": {"type": "u8", "virtual": True}})
        client = self.start("--channels", str(self.dir / "other.json"))
        client.initialize()
        program = self.open("1 -> only\n1 -> go\n", client)
        self.assertEqual(len(program.diagnostics()), 1)
        self.assertEqual(program.definition("on|ly")["uri"], self.uri("other.json"))

    def test_they_come_from_the_client(self):
        client = self.start()
        client.initialize(initializationOptions={
            "channels": {"only": {"type": "u8", "virtual": True}}})
        program = self.open("1 -> only\n1 -> go\n", client)
        self.assertEqual(len(program.diagnostics()), 1)
        self.assertIsNone(program.definition("on|ly"))

    def test_they_come_from_a_file_that_the_client_names(self):
        self.put("other.json", {"channels": {"only": {"type": "u8", "virtual": True}}})
        client = self.start()
        client.initialize(initializationOptions={"channels": str(self.dir / "other.json")})
        self.assertEqual(self.open("1 -> only\n", client).diagnostics(), [])

    def test_options_that_make_no_sense_are_told(self):
        client = self.start()
        client.initialize(initializationOptions={"channels": 7})
        self.assertIn("channels", client.wait_for("window/logMessage")["message"])

    def test_a_program_without_a_folder_has_none(self):
        program = Program(self.client, "untitled:Untitled-1", "1 -> go\n")
        self.assertIn("undefined symbol: go", self.messages(program)[0])
        self.assertIn("no driver.json", self.client.wait_for("window/logMessage")["message"])


class Hover(Case):
    def hover(self, needle, text=GOOD):
        return self.open(text).hover(needle)

    def assert_hovers(self, needle, *texts, text=GOOD):
        found = self.hover(needle, text)
        for part in texts:
            self.assertIn(part, found)

    def test_a_function_shows_its_signature_and_its_comment(self):
        self.assert_hovers("p|{gain=2.0}", "func p{gain f64, bias f64 = 0.0}(value f64) f64",
                           "A proportional controller.\nIt knows no integral.")

    def test_a_channel_shows_type_unit_and_description(self):
        self.assert_hovers("lev|el -> p", "level chan f64", "Level of the tank.", "Unit: m.",
                           "Timestamps: `time_in`.", "may only read")

    def test_a_constant_shows_its_value(self):
        self.assert_hovers("LI|MIT - value", "LIMIT f64 := 1.5", "runs over")
        self.assert_hovers("P|", "P f64 psi := 29.007", text="P f64 psi := 2bar\n")

    def test_locals_show_type_and_kind(self):
        self.assert_hovers("tw|ice +", "twice f64", "Local variable of `p`")
        self.assert_hovers("su|m +=", "sum f64", "Stateful")
        self.assert_hovers("f64(i|)", "i i64", "Loop variable")
        self.assert_hovers("val|ue\n", "value f64", "Input of `p`")
        self.assert_hovers("gai|n *", "gain f64", "Config parameter of `p`")

    def test_a_config_value_shows_its_parameter(self):
        self.assert_hovers("ga|in=2.0", "gain f64", "of `p`")
        self.assert_hovers("dur|ation=5s", "duration i64 ns", "time.wait")

    def test_an_alias_shows_its_channel(self):
        self.assert_hovers("x| > 0", "x chan u8", "channel `go`",
                           text="func f() u8 {\n x := go\n return x > 0\n}\n")

    def test_expressions_show_their_type_with_unit(self):
        text = "func f(a f64 m, b i64 ns) f64 {\n c := a * 2.0\n return f64(b / 2) + a / a\n}\n"
        self.assert_hovers("a |* 2.0", "f64 m", text=text)
        self.assert_hovers("b |/ 2", "i64 ns", text=text)
        self.assert_hovers("c| :=", "c f64 m", text=text)

    def test_a_literal_shows_what_it_becomes(self):
        self.assert_hovers("5|s}", "i64 ns = 5000000000 ns")

    def test_library_and_modules(self):
        self.assert_hovers("wa|it{", "time.wait{duration i64 ns} u8", "Fires once")
        self.assert_hovers("ti|me.wait", "import time", "time.interval{")
        self.assert_hovers("for|{", "stable.for{duration i64 ns}(input u8) u8",
                           text="import stable\ngo -> stable.for{1s} -> go\n")

    def test_sequences_and_stages(self):
        self.assert_hovers("go => fi|ll", "sequence fill", "3 items")
        self.assert_hovers("=> fu|ll", "stage full", "in `fill`")

    def test_units(self):
        self.assert_hovers("ps|i", "1 psi = 6894.76 Pa", text="P f64 psi := 2bar\n")

    def test_names_in_format_strings(self):
        text = 'func f(a f32) str {\n return f"a {{ is {a:.2f} and {go}"\n}\n'
        self.assert_hovers("{a|:", "a f32", text=text)
        self.assert_hovers("{go|}", "go chan u8", text=text)
        self.assertEqual(self.hover('f"|a {{', text), "")

    def test_tables(self):
        text = ("func f(a f64, b f64) (lo f64, hi f64) {\n lo = a\n hi = b\n}\n"
                "{ level: a, valve_cmd: b } -> f{} -> valve_cmd\n")
        self.assert_hovers("level: a|", "a f64", "Input of `f`", text=text)
        self.assert_hovers("valve_cmd|: b", "valve_cmd chan f64", text=text)
        text = text.split("{ level")[0] + "func g() (lo f64, hi f64) {\n lo = 1.0 hi = 2.0\n}\n" \
            "go -> g{} -> { hi: valve_cmd }\n"
        self.assert_hovers("hi|: valve_cmd", "hi f64", "Output of `g`", text=text)
        self.assert_hovers("tr|ue:", "true u8", text="go -> select{} -> { true: go }\n")

    def test_nothing_in_comments_strings_and_space(self):
        text = '// level\n"level" -> note\n\n\n'
        for needle in ("// le|vel", '"lev|el"', "\n|\n"):
            self.assertEqual(self.hover(needle, text), "")

    def test_plain_text_for_clients_without_markdown(self):
        client = self.start()
        client.initialize({})
        program = self.open(GOOD, client)
        result = program.at("hover", "tw|ice +")
        self.assertEqual(result["contents"], {
            "kind": "plaintext", "value": "twice f64\n\nLocal variable of `p`."})

    def test_a_text_with_errors_still_has_types(self):
        program = self.open(GOOD)
        program.replace("err * 2.0", "err *")
        self.assertIn("err f64", program.hover("er|r *"))
        self.assertIn("sum f64", program.hover("su|m +="))
        program.replace("func p{gain f64,", "func p{gain f64")
        self.assertIn("level chan f64", program.hover("lev|el -> p"))
        self.assertIn("stage full", program.hover("=> fu|ll"))

    def test_types_of_before_where_the_text_has_none_now(self):
        program = self.open(GOOD)
        program.diagnostics()
        program.replace("err := LIMIT - value", "err := LIMIT - valeu")
        self.assertIn("err f64", program.hover("er|r *"))


class Completion(Case):
    def labels(self, marked):
        text = marked.replace("|", "")
        return self.open(text).completion(marked)

    def assert_offers(self, marked, *labels, without=()):
        found = self.labels(marked)
        for label in labels:
            self.assertIn(label, found)
        for label in without:
            self.assertNotIn(label, found)
        return found

    def test_channels_constants_functions_and_targets_in_a_flow(self):
        found = self.assert_offers(GOOD + "l|", "level", "LIMIT", "p", "fill", "select", "time",
                                   "stage", "func", without=("err", "return", "full"))
        self.assertEqual(found["level"]["detail"], "level chan f64")
        self.assertIn("Level of the tank", found["level"]["documentation"]["value"])
        self.assertEqual(found["p"]["insertText"], "p{gain=$1}$0")

    def test_members_of_a_module(self):
        found = self.labels("import time\ngo -> time.|\n")
        self.assertEqual(set(found), {"interval", "wait", "now"})
        self.assertEqual(found["interval"]["detail"], "time.interval{period i64 ns} u8")
        self.assertEqual(found["interval"]["insertText"], "interval{period=$1}$0")
        self.assert_offers("import math as m\nlevel -> m.a|\n", "avg", "derivative")

    def test_members_where_the_next_line_goes_on(self):
        self.assert_offers("import time\nfunc f() i64 {\n x := time.|\n return x\n}\n", "now",
                           without=("wait",))

    def test_a_module_that_is_not_imported_brings_its_import(self):
        text = "// about\n1 -> go\nma|"
        [edit] = self.labels(text)["math"]["additionalTextEdits"]
        self.assertEqual(edit["newText"], "import math\n\n")
        self.assertEqual(edit["range"]["start"], {"line": 1, "character": 0})

    def test_modules_in_an_import(self):
        for text in ("import t|", "import (\n time\n m|\n)\n"):
            self.assertEqual(set(self.labels(text)), {"time", "math", "control", "status", "stable"})

    def test_locals_in_scope(self):
        text = ("func f{k f64}(a f64) f64 {\n if a > 0.0 {\n  inner := 1\n }\n"
                " for e := [1.0] {\n  e|\n }\n later := 2\n return a\n}\n")
        found = self.assert_offers(text, "k", "a", "e", "return", "len", "f64", "level",
                                   without=("inner", "later", "stage", "next", "func"))
        self.assertEqual(found["a"]["detail"], "a f64")
        self.assertEqual(found["e"]["detail"], "e f64")

    def test_locals_while_the_function_is_being_typed(self):
        self.assert_offers("func f(a f64) f64 {\n b := a * 2.0\n if b > |", "a", "b", "level")
        self.assert_offers("func f(a f64) f64 {\n b := a +\n\nfunc g(c f64) f64 {\n d := |", "c",
                           without=("a", "b"))

    def test_a_function_with_config_is_no_call(self):
        self.assert_offers("func f{k f64}() f64 { return k }\nfunc g() f64 { return 1.0 }\n"
                           "func h() f64 { return |\n", "g", without=("f",))

    def test_config_parameters(self):
        found = self.assert_offers(GOOD + "level -> p{|", "gain", "bias", "LIMIT")
        self.assertEqual(found["gain"]["insertText"], "gain=")
        self.assertEqual(found["gain"]["detail"], "gain f64")
        self.assert_offers(GOOD + "level -> p{gain=|", "LIMIT", without=("bias", "stage"))
        self.assert_offers("import time\ntime.interval{|", "period")

    def test_routing_tables(self):
        text = "func g(a f64) (lo f64, hi f64) {\n lo = a\n hi = a\n}\n"
        self.assert_offers(text + "level -> g{} -> {|", "lo", "hi", without=("level",))
        self.assert_offers(text + "level -> g{} -> { lo: |", "level", "valve_cmd")
        self.assert_offers("go -> select{} -> {|}", "true", "false")
        self.assert_offers(text + "{ level: | } -> g{}", "a")

    def test_stages_of_the_sequence_around(self):
        self.assert_offers(GOOD.replace("=> next", "=> |"), "full", "filling", "fill", "next")

    def test_types_and_units(self):
        self.assert_offers("func f(a |", "f64", "chan", "series", without=("level",))
        self.assert_offers("func f(a f64 |", "psi", "m", without=("level",))
        self.assert_offers("import time\ntime.wait{5|", "ms", "s", without=("level",))
        self.assert_offers("import time\ntime.wait{5m|", "ms", "min", without=("level",))

    def test_channels_in_an_authority(self):
        self.assert_offers("authority (\n 100\n v|\n)\n", "valve_cmd", without=("func",))

    def test_nothing_in_comments_strings_and_new_names(self):
        for text in ("// l|", 'go -> "l|"', "func l|", "sequence l|", "/* l| */",
                     "import time as l|", 'go -> "l|'):
            self.assertEqual(self.labels(text), {}, text)

    def test_names_in_format_strings(self):
        self.assert_offers('go -> f"x {l|}" -> note\n', "level")

    def test_many_channels_are_cut_to_those_that_fit(self):
        self.put("driver.json", {"channels": {
            f"c{i:05}": {"type": "u8", "virtual": True} for i in range(5000)}})
        program = self.open("c04|".replace("|", ""))
        result = program.at("completion", "c04|")
        self.assertTrue(result["isIncomplete"])
        labels = {item["label"] for item in result["items"]}
        self.assertIn("c04999", labels)
        self.assertNotIn("c00001", labels)

    def test_no_snippets_for_clients_without_them(self):
        client = self.start()
        client.initialize({})
        program = self.open(GOOD + "p", client)
        item = program.completion("go => fill\np|")["p"]
        self.assertEqual(item["insertText"], "p{")
        self.assertNotIn("insertTextFormat", item)


class Definition(Case):
    def assert_defined(self, program, needle, where):
        found = program.definition(needle)
        self.assertEqual(found["uri"], program.uri)
        self.assertEqual(found["range"]["start"], program.position(program.find(where)))

    def test_in_the_text(self):
        program = self.open(GOOD)
        for needle, where in (("-> p|{", "func |p{"), ("LIM|IT - value", "|LIMIT f64"),
                              ("twi|ce +", "|twice :="), ("val|ue\n", "(|value f64"),
                              ("ga|in=2.0", "{|gain f64"), ("su|m +=", "|sum $="),
                              ("f64(i|)", "for |i :="), ("go => fi|ll", "sequence |fill"),
                              ("=> fu|ll", "stage |full"), ("ti|me.wait", "import |time")):
            self.assert_defined(program, needle, where)

    def test_of_a_channel_in_driver_json(self):
        found = self.open(GOOD).definition("go| => fill")
        self.assertEqual(found["uri"], self.uri("driver.json"))
        lines = (self.dir / "driver.json").read_text().split("\n")
        start, end = found["range"]["start"], found["range"]["end"]
        self.assertEqual(lines[start["line"]][start["character"]:end["character"]], '"go"')

    def test_in_a_text_with_errors(self):
        program = self.open(GOOD.replace("err * 2.0", "err *"))
        self.assert_defined(program, "er|r *", "|err :=")
        self.assert_defined(program, "=> fu|ll", "stage |full")

    def test_of_what_has_none(self):
        program = self.open(GOOD)
        for needle in ("wa|it{", "retu|rn", "// Abo|ve", "1.|5"):
            self.assertIsNone(program.definition(needle), needle)


class Outline(Case):
    def test_a_tree(self):
        program = self.open(GOOD)
        found = self.client.request("textDocument/documentSymbol", {"textDocument": program.id})
        self.assertEqual([s["name"] for s in found], ["LIMIT", "p", "fill"])
        self.assertEqual([s["name"] for s in found[2]["children"]], ["filling", "full"])
        self.assertEqual(program.slice(found[1]["selectionRange"]), "p")
        self.assertTrue(program.slice(found[1]["range"]).endswith("+ sum\n}"))

    def test_a_list_for_clients_without_trees(self):
        client = self.start()
        client.initialize({})
        program = self.open(GOOD, client)
        found = client.request("textDocument/documentSymbol", {"textDocument": program.id})
        self.assertEqual([s["name"] for s in found], ["LIMIT", "p", "fill", "filling", "full"])
        self.assertEqual(found[0]["location"]["uri"], program.uri)


class Formatting(Case):
    def format(self, program):
        return self.client.request("textDocument/formatting", {
            "textDocument": program.id, "options": {"tabSize": 4, "insertSpaces": True}})

    def test_one_edit_where_it_is_needed(self):
        program = self.open(GOOD.replace("err*2.0", "err * 2.0").replace("err * 2.0", "err*2.0"))
        [edit] = self.format(program)
        self.assertEqual(edit["range"]["start"]["line"], 10)
        self.assertLessEqual(edit["range"]["end"]["line"], 11)
        self.assertIn("twice := err * 2.0", edit["newText"])

    def test_the_edit_gives_the_formatted_text(self):
        program = self.open("1->go\n\n\n\nsequence   s{\n1 -> go }\n")
        [edit] = self.format(program)
        before, after = program.slice({"start": {"line": 0, "character": 0},
                                       "end": edit["range"]["start"]}), ""
        formatted = before + edit["newText"] + after
        program.set(formatted)
        self.assertEqual(self.format(program), [])
        self.assertIn("1 -> go\n\nsequence s {\n    1 -> go\n}\n", formatted)

    def test_nothing_for_a_formatted_text(self):
        self.assertEqual(self.format(self.open("1 -> go\n")), [])

    def test_nothing_for_a_text_with_syntax_errors(self):
        self.assertIsNone(self.format(self.open("1 -> -> go\n")))


class Garbage(Case):
    def assert_alive(self, client=None):
        client = client or self.client
        client.unread.clear()
        self.assertIn("level", Program(client, self.uri("automations/alive.arc"), "l")
                      .completion("l|"))

    def test_an_unknown_method_is_answered(self):
        response = self.client.ask("textDocument/notThere", {})
        self.assertEqual(response["error"]["code"], -32601)
        self.client.notify("$/notThere", {})
        self.assert_alive()

    def test_bodies_that_are_not_json(self):
        for body in (b"", b"{", b"\xff\xfe", b"nonsense", b'{"a":1}}', b"[" * 100000, b'"\\ud800"'):
            self.client.write(frame(body))
            self.assertEqual(self.client.answer(None)["error"]["code"], -32700, body[:20])
        self.assert_alive()

    def test_json_that_is_no_message(self):
        for message in (7, None, "x", [], [1], {}, {"id": 1}, {"method": 7}, {"id": [], "method": "x"},
                        {"id": None, "method": "initialize"}):
            self.client.send(message)
            while True:
                answer = self.client.read()
                if "error" in answer:
                    break
            self.assertEqual(answer["error"]["code"], -32600, message)
        self.assert_alive()

    def test_headers_that_are_none(self):
        for garbage in (b"\r\n\r\n", b"hello\r\n\r\n", b"Content-Length: x\r\n\r\n",
                        b"Content-Length: -1\r\n\r\n", b"Content-Length:\r\n\r\n", b"\0" * 20000,
                        b"Content-Type: a\r\n\r\n", b"x" * 100000 + b"\n\n",
                        b"Content-Length: 99999999999999999999\r\n\r\n"):
            self.client.write(garbage)
            self.assert_alive()

    def test_a_message_over_the_limit_is_skipped(self):
        size = (64 << 20) + 1
        self.client.write(b"Content-Length: %d\r\n\r\n" % size)
        for _ in range(size >> 20):
            self.client.write(b" " * (1 << 20))
        self.client.write(b" ")
        self.assertIn("left out", self.client.wait_for("window/logMessage")["message"])
        self.assert_alive()

    def test_messages_byte_by_byte_and_many_at_once(self):
        message = frame(json.dumps({"jsonrpc": "2.0", "id": 77, "method": "nothing"}).encode())
        for i in range(len(message)):
            self.client.write(message[i:i + 1])
        self.assertEqual(self.client.answer(77)["error"]["code"], -32601)
        self.client.write(message * 1000)
        for _ in range(1000):
            self.assertEqual(self.client.answer(77)["error"]["code"], -32601)

    def test_params_of_any_kind(self):
        program = self.open(GOOD)
        methods = ("hover", "definition", "completion", "documentSymbol", "formatting")
        for method in methods:
            for params in (None, 7, [], {}, {"textDocument": 7}, {"textDocument": {"uri": 7}},
                           {"textDocument": {"uri": "file:///none"}}):
                self.assertIn("error", self.client.ask(f"textDocument/{method}", params))
        for method in methods[:3]:
            for position in (None, 7, {}, {"line": "1"}, {"line": 1.5, "character": 0}, [1, 2]):
                self.assertIn("error", self.client.ask(f"textDocument/{method}", {
                    "textDocument": program.id, "position": position}))
        for method in ("didOpen", "didChange", "didClose", "didSave"):
            for params in (None, 7, {}, {"textDocument": {"uri": 7}},
                           {"textDocument": {"uri": "file:///x", "text": 7}}):
                self.client.notify(f"textDocument/{method}", params)
        self.assert_alive()

    def test_positions_anywhere(self):
        program = self.open(GOOD)
        big = 1 << 62
        for line, character in ((0, big), (big, 0), (big, big), (-1, -1), (-big, 3), (1 << 32, 1)):
            for method in ("hover", "definition", "completion"):
                self.client.request(f"textDocument/{method}", {
                    "textDocument": program.id, "position": {"line": line, "character": character}})

    def test_changes_anywhere(self):
        program = self.open("1 -> go\n")
        place = lambda line, character: {"line": line, "character": character}
        for change in (7, {}, {"text": 7}, {"range": 7, "text": "x"},
                       {"range": {"start": place(0, 0)}, "text": "x"},
                       {"range": {"start": place("a", 0), "end": place(0, 0)}, "text": "x"}):
            program.changed([change])
            self.assertIn("makes no sense", self.client.wait_for("window/logMessage")["message"])
        # Behind the end is the end; turned around is the same range.
        program.changed([{"range": {"start": place(9, 9), "end": place(99, 9)}, "text": "0 -> go\n"},
                         {"range": {"start": place(0, 1), "end": place(0, 0)}, "text": "0"}])
        self.assertEqual(program.diagnostics(), [])
        program.text = "0 -> go\n0 -> go\n"
        self.assertIn("go chan u8", program.hover("\n0 -> g|o"))

    def test_a_text_with_zeros_and_controls(self):
        program = self.open("1 -> go\0\x01\x7f\n\u2028 \ufeff 2 -> go")
        self.assertNotEqual(program.diagnostics(), [])
        program.completion("go\0|")
        self.assert_alive()

    def test_every_kind_of_line_end(self):
        program = self.open("1 -> go\r\nx -> go\ry -> go\n")
        found = [d["range"]["start"] for d in program.diagnostics()]
        self.assertEqual(found, [{"line": 1, "character": 0}, {"line": 2, "character": 0}])

    def test_every_beginning_of_a_program_answers(self):
        program = self.open("")
        for n in range(0, len(GOOD), 7):
            program.set(GOOD[:n])
            position = program.position(n)
            for method in ("hover", "definition", "completion"):
                self.client.request(f"textDocument/{method}", {
                    "textDocument": program.id, "position": position})

    def test_a_large_text(self):
        program = self.open(GOOD + "1 -> go\n" * 50000)
        self.assertEqual(program.diagnostics(), [])
        program.replace("level -> p", "lvel -> p")
        self.assertEqual(len(program.diagnostics()), 1)
        self.assertIn("sum f64", program.hover("su|m +="))

    def test_a_text_too_large_to_check(self):
        program = self.open("// " + "x" * (5 << 20))
        self.assertIn("too large", self.messages(program)[0])
        self.assertEqual(program.completion("// x|"), {})
        self.assertEqual(program.hover("// x|"), "")

    def test_memory_stays_bounded(self):
        program = self.open(GOOD + "1 -> go\n" * 2000)
        status = pathlib.Path(f"/proc/{self.client.process.pid}/status")
        size_kb = lambda: int(re.search(r"VmRSS:\s*(\d+)", status.read_text())[1])
        sizes = []
        for i in range(60):
            program.replace("1 -> go", "0 -> go" if i % 2 == 0 else "1 -> go")
            program.diagnostics()
            program.hover("su|m +=")
            sizes.append(size_kb())
        self.assertLess(max(sizes[30:]), max(sizes[:30]) * 1.5 + 4096, sizes)
