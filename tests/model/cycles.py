"""Random programs of flows, sequences and stages, each as Arc text and as a machine (machine.py).

All channels are i64. `a` to `e` come in, `x` to `z` go out, `l` does both.
"""
from machine import NEVER, Machine, Scope

INPUTS, LOOP, OUTPUTS = list("abcde"), "l", list("xyz")
MS = 1000000
MOST_ECHOES = 30

FUNCTIONS = """func count(v i64) i64 {
    n $= 0
    n += 1
    return n * 1000 + v
}
func thirds(v i64) i64 { return v % 3 }
func one() i64 {
    n $= 0
    n += 1
    return n
}
func join(p i64, q i64) i64 { return p * 100 + q }
func split(v i64) (even i64, odd i64) {
    if v % 2 == 0 { even = v }
    if v % 2 != 0 { odd = v }
}
"""


class Dead(Exception):
    """A program that is not worth running: a move without a target."""


class Place:
    """Where a piece of text stands: its scope, and the sequences around it that it may move."""

    def __init__(self, scope, owner, around=(), in_body=False, is_direct=True):
        self.scope, self.owner = scope, owner  # owner: the sequence at the top level, or what stands for it
        self.around = around  # [(sequence, number of the item)], innermost first
        self.in_body = in_body  # `next` would have to leave an inline body
        self.is_direct = is_direct  # not in a nested sequence: may jump to the top level

    def at(self, scope, **changes):
        return Place(**{**vars(self), "scope": scope, **changes})


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.machine = Machine([*INPUTS, LOOP, *OUTPUTS])
        self.read = set()
        self.n_names = 0
        self.todo = []  # moves and completions, in the order of the text

    # ---- Small parts

    def name(self):
        self.n_names += 1
        return f"s{self.n_names}"

    def arrow(self, chance=0.4):
        return "=>" if self.rng.random() < chance else "->"

    def source(self, scope, channel=None):
        channel = channel or self.rng.choice([*INPUTS, LOOP])
        self.read.add(channel)
        return channel, self.machine.node("source", scope, channel)

    def link(self, source, target, arrow="->"):
        self.machine.edge(source, target, arrow == "=>")
        return target

    def formula(self):
        """(text, function, channels, is it an i64)"""
        a, b, k = self.rng.choice([*INPUTS, LOOP]), self.rng.choice(INPUTS), self.rng.randint(-2, 6)
        plus = f"+ {k}" if k >= 0 else f"- {-k}"
        return self.rng.choice([
            (f"i64({a} > {k})", lambda v: int(v[a] > k), [a], True),
            (f"{a} + {b}", lambda v: v[a] + v[b], [a, b], True),
            (f"{a} * 10 {plus}", lambda v: v[a] * 10 + k, [a], True),
            (f"{a} > {k}", lambda v: int(v[a] > k), [a], False),
            (f"{a} == {k}", lambda v: int(v[a] == k), [a], False),
            (f"{a} > {k} and {b} < {k + 3}", lambda v: int(v[a] > k and v[b] < k + 3), [a, b], False)])

    # ---- The beginning of a flow: (text, node whose output goes on)

    def begin_source(self, scope, _):
        return self.source(scope)

    def begin_formula(self, scope, wants_i64):
        text, function, channels, is_i64 = self.formula()
        while wants_i64 and not is_i64:
            text, function, channels, is_i64 = self.formula()
        sources = [self.source(scope, channel)[1] for channel in dict.fromkeys(channels)]
        node = self.machine.node("expression", scope, function)
        for source in sources:
            self.link(source, node)
        return text, node

    def begin_function(self, scope, _):
        channel, source = self.source(scope)
        kind = self.rng.choice(["count", "thirds"])
        return f"{channel} -> {kind}{{}}", self.link(source, self.machine.node(kind, scope))

    def begin_chain(self, scope, _):
        channel, source = self.source(scope)
        thirds = self.link(source, self.machine.node("thirds", scope))
        arrow = self.arrow(0.6)
        return f"{channel} -> thirds{{}} {arrow} count{{}}", self.link(thirds, self.machine.node("count", scope), arrow)

    def begin_constant(self, scope, _):
        value = self.rng.randint(0, 9)
        return str(value), self.machine.node("constant", scope, value)

    def begin_one(self, scope, _):
        return "one{}", self.machine.node("one", scope)

    def begin_timer(self, scope, _):
        kind, ms = self.rng.choice([("interval", 3), ("interval", 7), ("interval", 10), ("wait", 2), ("wait", 9)])
        timer = self.machine.node(kind, scope, ms * MS)
        return f"time.{kind}{{{ms}ms}} -> one{{}}", self.link(timer, self.machine.node("one", scope))

    def begin_late_timer(self, scope, _):
        channel, source = self.source(scope)
        arrow, kind, ms = self.arrow(), self.rng.choice(["interval", "wait"]), self.rng.choice([2, 4, 7])
        timer = self.link(source, self.machine.node(kind, scope, ms * MS), arrow)
        text = f"{channel} {arrow} time.{kind}{{{ms}ms}} -> one{{}}"
        return text, self.link(timer, self.machine.node("one", scope))

    def begin_late_formula(self, scope, _):
        channel, source = self.source(scope)
        other, arrow = self.rng.choice([*INPUTS, LOOP]), self.arrow()
        self.read.add(other)
        node = self.machine.node("expression", scope, lambda v: v[other] + 1)
        return f"{channel} {arrow} {other} + 1", self.link(source, node, arrow)

    def begin_late_constant(self, scope, _):
        channel, source = self.source(scope)
        arrow, value = self.arrow(), self.rng.randint(1, 9)
        return f"{channel} {arrow} {value}", self.link(source, self.machine.node("constant", scope, value), arrow)

    def begin_late_source(self, scope, _):
        channel, source = self.source(scope)
        arrow = self.arrow()
        other, node = self.source(scope, self.rng.choice(INPUTS))
        return f"{channel} {arrow} {other}", self.link(source, node, arrow)

    def begin_join(self, scope, _):
        (p, first), (q, second) = self.source(scope), self.source(scope)
        node, arrow = self.machine.node("join", scope), self.arrow(0.3)
        self.link(first, node, arrow)
        self.link(second, node, arrow)
        return f"{{ {p}: p, {q}: q }} {arrow} join{{}}", node

    def begin_always(self, scope, _):
        value = self.rng.randint(0, 9)
        return f"{value} + 1", self.machine.node("expression", scope, lambda v: value + 1)

    TRIGGERED = [begin_source, begin_source, begin_source, begin_formula, begin_formula, begin_function, begin_chain,
                 begin_timer, begin_late_timer, begin_late_formula, begin_late_constant, begin_late_source, begin_join]
    ALL = [*TRIGGERED, begin_constant, begin_one, begin_always]

    # ---- Flows

    def flow_to_channel(self, scope):
        text, node = self.rng.choice(self.ALL)(self, scope, True)
        arrow, channel = self.arrow(0.3), self.rng.choice([*OUTPUTS, *OUTPUTS, LOOP])
        sink = self.link(node, self.machine.node("sink", scope, channel), arrow)
        return f"{text} {arrow} {channel}", sink

    def flow_to_table(self, scope):
        rng = self.rng
        channel, source = self.source(scope)
        if rng.random() < 0.5:
            table, head, names, kind = self.machine.node("split", scope), f"{channel} -> split{{}}", ["even", "odd"], "count"
            self.link(source, table)
        else:
            k = rng.randint(0, 3)
            test = self.link(source, self.machine.node("expression", scope, lambda v: int(v[channel] > k)))
            table, head, names, kind = self.machine.node("select", scope), f"{channel} > {k} -> select{{}}", ["true", "false"], "one"
            self.link(test, table)
        ports, entries = [self.machine.port(table) for _ in names], []
        for _ in range(rng.randint(1, 3)):
            i, output = rng.randint(0, 1), rng.choice([*OUTPUTS, LOOP])
            node = self.link(ports[i], self.machine.node(kind, scope))
            self.link(node, self.machine.node("sink", scope, output))
            entries.append(f"{names[i]}: {kind}{{}} -> {output}")
        return f"{head} -> {{ {', '.join(entries)} }}"

    def condition(self, scope):
        """What may lead to a move. Nothing that is ready at once: moves could go round for ever."""
        if self.rng.random() < 0.25:
            ms = self.rng.choice([2, 3, 5, 8])
            return f"time.wait{{{ms}ms}}", self.machine.node("wait", scope, ms * MS)
        return self.rng.choice(self.TRIGGERED)(self, scope, False)

    def move(self, place):
        text, node = self.condition(place.scope)
        arrow = self.arrow(0.7)
        self.todo.append(("move", node, arrow, place))
        return f"{text} {arrow} @{len(self.todo) - 1}@"

    def body(self, place, depth):
        """A flow that ends in an inline body."""
        text, node = self.condition(place.scope)
        arrow, kind = self.arrow(0.7), self.rng.choice(["stage", "sequence"])
        scope = Scope(self.machine, "parallel" if kind == "stage" else "sequential", place.scope, is_inline=True)
        if place.owner is None:  # at the top level it is a sequence of its own, with one item if it is a stage
            if kind == "stage":
                scope.kind = "sequential"
            inner = place.at(scope, owner=scope, in_body=True)
        else:
            inner = place.at(scope, in_body=True, is_direct=place.is_direct and kind == "stage")
        place.scope.members.append(scope)
        node.starts.append((scope, arrow == "=>"))
        if kind == "stage":
            if place.owner is None:
                scope.items.append(Scope(self.machine, "parallel", scope))
                inner = inner.at(scope.items[0])
            lines = self.stage(inner, depth - 1)
        else:
            lines = self.sequence(inner, depth - 1)
        return [f"{text} {arrow} {kind} {{", *lines, "}"]

    # ---- Stages and sequences: their lines

    def stage(self, place, depth):
        lines = []
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.choice(["channel", "channel", "channel", "table", "move", "move", "body", "sequence"])
            if kind == "table":
                lines.append(self.flow_to_table(place.scope))
            elif kind == "move":
                lines.append(self.move(place))
            elif kind == "body" and depth > 0:
                lines += self.body(place, depth)
            elif kind == "sequence" and depth > 0:
                scope = Scope(self.machine, "sequential", place.scope)
                place.scope.members.append(scope)
                lines += ["sequence {", *self.sequence(place.at(scope, is_direct=False), depth - 1), "}"]
            else:
                lines.append(self.flow_to_channel(place.scope)[0])
        return ["    " + line for line in lines]

    def sequence(self, place, depth):
        lines = []
        for i in range(self.rng.randint(1, 5)):
            lines += self.item(place.scope, place.at(place.scope, around=((place.scope, i), *place.around)), depth)
        return ["    " + line for line in lines]

    def item(self, sequence, place, depth):
        kind = self.rng.choice(["channel"] * 3 + ["gate", "wait", "move", "function"] + ["stage", "stage", "nested"] * (depth > 0))
        name = self.name() if kind in ("stage", "nested") and self.rng.random() < 0.6 else None
        scope = Scope(self.machine, "sequential" if kind == "nested" else "parallel", sequence, name)
        sequence.items.append(scope)
        number, title, node = len(sequence.items) - 1, f"{name} " if name else "", None
        if kind == "stage":
            lines = [f"stage {title}{{", *self.stage(place.at(scope), depth - 1), "}"]
        elif kind == "nested":
            lines = [f"sequence {title}{{", *self.sequence(place.at(scope, is_direct=False), depth - 1), "}"]
        elif kind == "move":
            lines = [self.move(place.at(scope))]
        else:
            text, node = self.single(scope, kind)
            lines = [text]
        self.todo.append(("complete", sequence, number, node, scope if kind == "nested" else None))
        return lines

    def single(self, scope, kind):
        if kind == "gate":
            text, function, channels, _ = self.formula()
            self.read.update(channels)
            return text, self.machine.node("expression", scope, function)
        if kind == "wait":
            ms = self.rng.choice([0, 1, 3, 6])
            return f"time.wait{{{ms}ms}}", self.machine.node("wait", scope, ms * MS)
        if kind == "function":
            return self.rng.choice([self.begin_function, self.begin_chain, self.begin_timer, self.begin_join])(scope, True)
        return self.flow_to_channel(scope)

    # ---- The whole

    def top(self, kind):
        """One item of the top level: (lines, the scope that others may start)."""
        root = self.machine.root
        place = Place(root, None)
        if kind == "channel":
            return [self.flow_to_channel(root)[0]], None
        if kind == "table":
            return [self.flow_to_table(root)], None
        if kind == "body":
            return self.body(place, 2), None
        if kind == "entry":
            text, node = self.condition(root)
            arrow = self.arrow(0.7)
            self.todo.append(("entry", node, arrow))
            return [f"{text} {arrow} @{len(self.todo) - 1}@"], None
        name = self.name() if self.rng.random() < 0.7 else None
        scope = Scope(self.machine, "sequential", root, name)
        root.members.append(scope)
        if kind == "sequence":
            lines = self.sequence(place.at(scope, owner=scope), 3)
        else:
            scope.items.append(Scope(self.machine, "parallel", scope))
            lines = self.stage(place.at(scope.items[0], owner=scope), 2)
        return [f"{kind} {name + ' ' if name else ''}{{", *lines, "}"], scope if name else None

    def text(self):
        lines, tops = [], []
        for _ in range(self.rng.randint(2, 6)):
            kind = self.rng.choice(["channel", "table", "body", "sequence", "sequence", "sequence", "stage", "entry", "entry"])
            more, scope = self.top(kind)
            lines += more
            tops += [scope] if scope else []
        text = "\n".join(lines)
        for i, what in enumerate(self.todo):
            text = text.replace(f"@{i}@", getattr(self, f"resolve_{what[0]}")(tops, *what[1:]) or "")
        return text

    def resolve_entry(self, tops, node, arrow):
        if not tops:
            raise Dead
        target = self.rng.choice(tops)
        node.starts.append((target, arrow == "=>"))
        return target.name

    def resolve_complete(self, _, sequence, number, node, nested):
        node = self.completing(nested) if nested else node
        if node is None:
            return
        if number + 1 < len(sequence.items):
            sequence.transitions.append((node, "=>", "item", sequence.items[number + 1]))
        elif sequence.parent.kind == "parallel":  # else the sequence around it goes on
            sequence.transitions.append((node, "=>", "end", None))

    def completing(self, sequence):
        """The node that completes a nested sequence: that of its last item."""
        last = next(what for what in self.todo if what[0] == "complete" and what[1] is sequence
                    and what[2] == len(sequence.items) - 1)
        return self.completing(last[4]) if last[4] else last[3]

    def resolve_move(self, tops, node, arrow, place):
        targets = []
        if place.around and not place.in_body:
            sequence, number = place.around[0]
            targets += [("next", sequence, "item", item) for item in sequence.items[number + 1:number + 2]]
        for sequence, _ in place.around:
            targets += [(item.name, sequence, "item", item) for item in sequence.items if item.name]
        if place.is_direct:
            targets += [(scope.name, place.owner, "top", scope) for scope in tops]
        if not targets:
            raise Dead
        name, owner, kind, target = self.rng.choice(targets)
        owner.transitions.append((node, arrow, kind, target))
        return name


class Run:
    """Runs the machine as conformance cases are run: timers, steps, and echoes of what the program reads itself."""

    def __init__(self, program):
        self.machine, self.read = program.machine, program.read
        self.written = {c: [] for c in [*OUTPUTS, LOOP]}

    def cycle(self, frame):
        for _ in range(MOST_ECHOES):
            echo = {}
            for channel, value in self.machine.cycle(frame):
                self.written[channel].append(value)
                if channel in self.read:
                    echo.setdefault(channel, []).append(value)
            if not echo:
                return
            frame = echo
        raise Dead

    def step(self, at, frame):
        while self.machine.deadline() <= at:
            self.machine.now = self.machine.deadline()
            self.cycle({})
        self.machine.now = at
        if frame:
            self.cycle(frame)
        expect = {channel: list(values) for channel, values in self.written.items()}
        for values in self.written.values():
            values.clear()
        return {"at": f"{at}ns", **({"write": frame} if frame else {}), "expect": expect}


def frame_of(rng):
    return {channel: [rng.choice([0, 0, 1, 1, 2, 3, 5, -1]) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            for channel in rng.sample(INPUTS, rng.randint(1, 3))}


def case(rng, name):
    """None when the program that came out is not worth running."""
    program = Program(rng)
    try:
        text = program.text()
        run = Run(program)
        program.machine.start()
        run.cycle({})
        steps, at = [], 0
        for _ in range(rng.randint(4, 9)):
            at += rng.choice([0, 1, 2, 3, 5, 12]) * MS
            steps.append(run.step(at, frame_of(rng) if rng.random() < 0.85 else {}))
    except (Dead, OverflowError):
        return None
    imports = "import time\n" if "time." in text else ""
    return {"name": name, "channels": {c: "i64" for c in [*INPUTS, LOOP, *OUTPUTS]},
            "source": (imports + FUNCTIONS + text).split("\n"), "steps": steps}
