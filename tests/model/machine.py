"""The cycle of Arc in Python: nodes, scopes, transitions, and what runs when.

A program is a tree of scopes: `parallel` ones (the top level, stages, single items of a sequence) hold nodes
and scopes, `sequential` ones hold items. Everything is found by search, nothing is fast.
"""
NEVER = 1 << 62
MOST_SAMPLES = 200  # that one node gives, or one cycle writes


class Node:
    """A node, or one named output of a node (its `owner`)."""

    def __init__(self, machine, kind, scope, arg=None, owner=None):
        self.machine, self.kind, self.scope, self.arg, self.owner = machine, kind, scope, arg, owner
        self.inputs, self.targets, self.starts, self.ports = [], [], [], []
        self.slot, self.generation = [], 0
        self.reset()

    def reset(self):
        self.pending = self.replay = self.mark = self.done = False
        self.slot, self.n, self.held, self.began, self.deadline = [], 0, {}, None, NEVER
        self.watermark = len(self.machine.samples[self.arg]) if self.kind == "source" else 0
        for port in self.ports:
            port.reset()

    def is_truthy(self):
        return bool(self.slot) and self.slot[-1] != 0

    def fire(self, samples):
        self.slot = list(samples)
        if not samples:
            return
        if len(self.slot) > MOST_SAMPLES or len(self.machine.written) > MOST_SAMPLES:
            raise OverflowError("batches that feed themselves: not modelled")
        self.generation += 1
        self.mark = True
        for target, is_conditional in self.targets:
            if not is_conditional or self.is_truthy():
                target.pending = True
        for scope, is_conditional in self.starts:
            if not is_conditional or self.is_truthy():
                self.machine.activate(scope)

    def run(self):
        self.pending = self.replay = False
        getattr(self, f"run_{self.kind}")()

    def run_source(self):
        news = self.machine.samples[self.arg][self.watermark:]
        self.watermark += len(news)
        if news or self.inputs:
            self.fire(news)

    def run_sink(self):
        self.machine.written += [(self.arg, value) for value in self.inputs[0].slot]
        self.fire([1] * len(self.inputs[0].slot))

    def run_constant(self):
        if not self.done:
            self.done = True
            self.fire([self.arg])

    def run_expression(self):
        self.fire([self.arg(self.machine.newest)])

    def run_count(self):
        """The stateful function of one input."""
        self.n += len(self.inputs[0].slot)
        first = self.n - len(self.inputs[0].slot) + 1
        self.fire([(first + i) * 1000 + value for i, value in enumerate(self.inputs[0].slot)])

    def run_thirds(self):
        self.fire([abs(value) % 3 * (1 if value >= 0 else -1) for value in self.inputs[0].slot])

    def run_one(self):
        """The stateful function without inputs."""
        if self.inputs or not self.done:
            self.done = True
            self.n += 1
            self.fire([self.n])

    def run_join(self):
        """The function of two inputs, each of which holds its last batch."""
        news = False
        for i, source in enumerate(self.inputs):
            if source.slot and self.held.get(i, (None, 0))[1] != source.generation:
                self.held[i] = list(source.slot), source.generation
                news = True
        if not news or len(self.held) < 2:
            self.slot = []
            return
        a, b = self.held[0][0], self.held[1][0]
        self.fire([a[i % len(a)] * 100 + b[i % len(b)] for i in range(max(len(a), len(b)))])

    def run_split(self):
        for port, rest in zip(self.ports, (0, 1)):
            port.fire([value for value in self.inputs[0].slot if value % 2 == rest])

    def run_select(self):
        for port, wanted in zip(self.ports, (True, False)):
            port.fire([1 for value in self.inputs[0].slot if (value == 1) == wanted])

    def run_wait(self):
        if self.began is None:
            self.began = self.machine.now
            self.deadline = self.began + self.arg
        if self.done:
            return
        if self.machine.now < self.deadline:
            self.replay = True
            return
        self.done, self.deadline = True, NEVER
        self.fire([1])

    def run_interval(self):
        now = self.machine.now
        self.replay = True
        if self.began is None:
            self.began = self.deadline = now
        if now >= self.deadline:
            self.deadline = self.began + ((now - self.began) // self.arg + 1) * self.arg
            self.fire([1])


class Scope:
    def __init__(self, machine, kind, parent, name=None, is_inline=False):
        self.machine, self.kind, self.parent, self.name, self.is_inline = machine, kind, parent, name, is_inline
        self.is_active = self.is_passed = False
        self.members, self.items, self.transitions, self.current, self.order = [], [], [], None, []
        machine.scopes.append(self)

    def is_inside(self, other):
        return self is other or self.parent is not None and self.parent.is_inside(other)

    def is_all_active(self):
        return self.is_active and (self.parent is None or self.parent.is_all_active())


class Machine:
    def __init__(self, channels):
        self.samples = {c: [] for c in channels}
        self.newest = {c: 0 for c in channels}
        self.scopes, self.nodes, self.written, self.late, self.now = [], [], [], [], 0
        self.root = Scope(self, "parallel", None)

    def node(self, kind, scope, arg=None):
        node = Node(self, kind, scope, arg)
        self.nodes.append(node)
        scope.members.append(node)
        return node

    def port(self, owner):
        node = Node(self, "port", owner.scope, owner=owner)
        self.nodes.append(node)
        owner.ports.append(node)
        return node

    @staticmethod
    def edge(source, target, is_conditional=False):
        source.targets.append((target, is_conditional))
        target.inputs.append(source)

    # ---- Order

    def member_of(self, scope, what):
        """Where the node or scope stands among the members of `scope`, None when it is not inside."""
        what = getattr(what, "owner", None) or what
        while what is not None:
            if any(what is member for member in scope.members):
                return next(i for i, member in enumerate(scope.members) if member is what)
            what = what.scope if isinstance(what, Node) else what.parent
        return None

    def activations(self):
        for node in self.nodes:
            for scope, _ in node.starts:
                yield node, scope
        for scope in self.scopes:
            for node, _, _, target in scope.transitions:
                if target is not None:
                    yield node, target

    def set_order(self, scope):
        """Strata: who is fed by nobody comes first; in a loop of activations the way back does not count."""
        def between(pairs):
            places = {(self.member_of(scope, a), self.member_of(scope, b)) for a, b in pairs}
            return {(a, b) for a, b in places if a is not None and b is not None and a != b}

        feeds = between((n, t) for n in self.nodes for t, _ in n.targets)
        starts = between(self.activations())
        for a, b in sorted(starts):
            if b < a and self.leads(feeds | starts, b, a):
                starts.discard((a, b))
        strata = [0] * len(scope.members)
        for _ in scope.members:
            for a, b in feeds | starts:
                strata[b] = max(strata[b], strata[a] + 1)
        scope.order = sorted(range(len(strata)), key=lambda i: (strata[i], i))

    @staticmethod
    def leads(pairs, start, end):
        todo, seen = [start], set()
        while todo:
            at = todo.pop()
            if at == end:
                return True
            if at not in seen:
                seen.add(at)
                todo += [b for a, b in pairs if a == at]
        return False

    # ---- Activity

    def activate(self, scope):
        if scope.is_active:
            return
        scope.is_active = True
        if scope.kind == "sequential":
            scope.current = scope.items[0]
            self.activate(scope.current)
        else:
            for member in scope.members:
                if isinstance(member, Node):
                    member.reset()
            for member in scope.members:
                if isinstance(member, Scope) and member.name is None and not member.is_inline:
                    self.activate(member)
        if scope.parent is self.root and scope.is_passed and scope not in self.late:
            self.late.append(scope)

    def deactivate(self, scope):
        for inner in self.scopes:
            if inner.is_inside(scope):
                inner.is_active = False

    # ---- Cycles

    def walk(self, scope):
        if not scope.is_active:
            return
        if scope.kind == "sequential":
            self.walk_items(scope)
            return
        for i in scope.order:
            member = scope.members[i]
            if isinstance(member, Scope):
                self.walk(member)
                member.is_passed = True
            elif not member.inputs or member.pending or member.replay:
                member.run()

    def walk_items(self, scope):
        for _ in range(len(scope.items) + 1):
            self.walk(scope.current)
            item = scope.current
            while scope.current is item:
                ready = next((t for t in scope.transitions if self.is_ready(t)), None)
                if ready is None:
                    return
                self.take(scope, ready)
                if not scope.is_active:
                    return
        raise OverflowError("a cascade that does not end in one cycle: not modelled")

    def is_ready(self, transition):
        node, op, _, _ = transition
        return node.scope.is_all_active() and node.mark and (op == "->" or node.is_truthy())

    def take(self, scope, transition):
        node, _, kind, target = transition
        node.mark = False
        if kind == "end":
            self.deactivate(scope)
        elif kind == "item" and target is not scope.current:
            self.deactivate(scope.current)
            scope.current = target
            self.activate(target)
        elif kind == "top" and not node.scope.is_inside(target):
            self.activate(target)
            self.deactivate(scope)

    def cycle(self, frame):
        """Runs one cycle; what it writes, in order."""
        self.written, self.late = [], []
        for channel, values in frame.items():
            self.samples[channel] += values
            self.newest[channel] = values[-1]
        for scope in self.scopes:
            scope.is_passed = False
        self.walk(self.root)
        for _ in self.scopes:
            late, self.late = self.late, []
            for scope in sorted(late, key=self.root.members.index):
                self.walk(scope)
        if self.late:
            raise OverflowError("scopes start each other without end: not modelled")
        for node in self.nodes:
            node.pending = node.mark = False
        return self.written

    def start(self):
        for scope in self.scopes:
            self.set_order(scope)
        self.activate(self.root)

    def deadline(self):
        return min((n.deadline for n in self.nodes if n.scope.is_all_active()), default=NEVER)
