"""Random function bodies, each as Arc text and as a Python function that does the same.

A body is a list of lines and a function run(env, kept): `env` holds the variables of a call, `kept` the
stateful ones of the node.
"""
import math

from values import BITS, FLOATS, TYPES, Fault, arithmetic, as_json, cast, compare, is_signed, limits, power, round_to

SPECIAL_FLOATS = [0.0, -0.0, 1.5, -2.5, 1e10, -1e10, 0.1, 255.9, -128.7, math.inf, -math.inf, math.nan, 9.3e18,
                  -9.3e18, 1.9e19, 4294967295.5]


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Return(Exception):
    pass


def sample(rng, kind):
    """A value for a channel, often one at the edge of its type."""
    if kind in FLOATS:
        return round_to(kind, rng.choice([*SPECIAL_FLOATS, rng.uniform(-100, 100)]))
    low, high = limits(kind)
    return rng.choice([0, 1, 2, low, high, low + 1, high - 1, rng.randint(low, high), rng.randint(0, 20)])


# ---- Expressions: (text, function of env)


def literal(rng, kind):
    if kind in FLOATS:
        value = rng.choice([0.0, 1.0, -1.0, 0.5, 2.0, -3.25, 100.0, 1000000.0, 0.1])
    else:
        low, high = limits(kind)
        high = min(high, limits("i64")[1])  # no literal is larger
        value = rng.choice([v for v in (0, 1, 2, 3, 7, -1, -2, low, high, low + 1, high - 1, 10, 100) if low <= v <= high])
    exact = round_to(kind, value)
    return f"{kind}({value})", lambda env: exact


def variable(rng, kind, scope):
    names = [name for name, its in scope.items() if its == kind]
    if not names or rng.random() < 0.3:
        return literal(rng, kind)
    name = rng.choice(names)
    return name, lambda env: env[name]


def comparison(rng, depth, scope):
    kind, op = rng.choice(TYPES), rng.choice(["<", ">", "<=", ">=", "==", "!="])
    (a, run_a), (b, run_b) = (expression(rng, kind, depth - 1, scope) for _ in range(2))
    return f"({a} {op} {b})", lambda env: compare(op, run_a(env), run_b(env))


def logic(rng, depth, scope):
    (a, run_a), (b, run_b) = (expression(rng, "u8", depth - 1, scope) for _ in range(2))
    if rng.random() < 0.3:
        return f"(not {a})", lambda env: int(run_a(env) == 0)
    if rng.random() < 0.5:
        return f"({a} and {b})", lambda env: int(run_b(env) != 0) if run_a(env) else 0
    return f"({a} or {b})", lambda env: 1 if run_a(env) else int(run_b(env) != 0)


def powers(rng, kind, depth, scope):
    base, run = expression(rng, kind, depth - 1, scope)
    if rng.random() < 0.5:
        exponent = rng.choice([0, 1, 2, 3, 5] + [-1, -2] * is_signed(kind))
        return f"({base} ^ ({exponent}))", lambda env: power(kind, run(env), exponent)
    other, run_other = expression(rng, kind, depth - 1, scope)
    return f"({base} ^ ({other} % 7))", lambda env: (
        lambda a, b: power(kind, a, arithmetic(kind, "%", b, 7)))(run(env), run_other(env))


def expression(rng, kind, depth, scope):
    if depth <= 0 or rng.random() < 0.15:
        return variable(rng, kind, scope)
    what = rng.choice(["binary"] * 3 + ["minus", "cast", "u8", "power"])
    if what == "cast":
        other = rng.choice(TYPES)
        text, run = expression(rng, other, depth - 1, scope)
        return f"{kind}({text})", lambda env: cast(kind, other, run(env))
    if what == "u8" and kind == "u8":
        return rng.choice([comparison, logic])(rng, depth, scope)
    if what == "minus":
        text, run = expression(rng, kind, depth - 1, scope)
        return f"(-{text})", lambda env: round_to(kind, -run(env))
    if what == "power" and kind in BITS:
        return powers(rng, kind, depth, scope)
    (a, run_a), (b, run_b) = (expression(rng, kind, depth - 1, scope) for _ in range(2))
    op = rng.choice("+-*/" if kind in FLOATS else "+-*/%")
    return f"({a} {op} {b})", lambda env: arithmetic(kind, op, run_a(env), run_b(env))


# ---- Statements


class Bodies:
    """Makes the statements of one function."""

    def __init__(self, rng, result):
        self.rng, self.result, self.n_names = rng, result, 0

    def name(self):
        self.n_names += 1
        return f"v{self.n_names}"

    def declare(self, scope, targets, _depth, _in_loop):
        kind, name = self.rng.choice(TYPES), self.name()
        text, run = expression(self.rng, kind, 2, scope)
        scope[name] = targets[name] = kind
        if self.rng.random() < 0.6:
            return [f"{name} {kind} := {text}"], lambda env, kept: env.__setitem__(name, run(env))

        def keep(env, kept):
            if name not in kept:
                kept[name] = run(env)
            env[name] = kept[name]
        return [f"{name} {kind} $= {text}"], keep

    def assign(self, scope, targets, _depth, _in_loop):
        name, op = self.rng.choice(list(targets)), self.rng.choice(["", "", "+", "-", "*"])
        kind = targets[name]
        text, run = expression(self.rng, kind, 2, scope)

        def store(env, kept):
            value = run(env)
            env[name] = arithmetic(kind, op, env[name], value) if op else value
            if name in kept:
                kept[name] = env[name]
        return [f"{name} {op}= {text}"], store

    def branch(self, scope, targets, depth, in_loop):
        text, run = expression(self.rng, self.rng.choice(TYPES), 2, scope)
        then, run_then = self.block(scope, targets, depth - 1, in_loop)
        other, run_other = self.block(scope, targets, depth - 1, in_loop)
        has_else = self.rng.random() < 0.5
        lines = [f"if {text} {{", *then, *(["} else {", *other] if has_else else []), "}"]

        def decide(env, kept):
            if run(env) != 0:
                run_then(env, kept)
            elif has_else:
                run_other(env, kept)
        return lines, decide

    def loop(self, scope, targets, depth, _in_loop):
        rng, name = self.rng, self.name()
        if rng.random() < 0.5:
            kind = rng.choice(["i8", "i32", "i64", "u8", "u16"])
            start, end, step = rng.randint(0, 5), rng.randint(0, 9), rng.choice([1, 2] + [-1, -2] * is_signed(kind))
            head = f"{name} := range({kind}({start}), {kind}({end}), {step})"
            names, values = {name: kind}, lambda env: [(i,) for i in range(start, end, step)]
        else:
            kind, index = rng.choice(TYPES), self.name()
            parts = [expression(rng, kind, 1, scope) for _ in range(rng.randint(1, 4))]
            head = f"{index}, {name} := [{', '.join(text for text, _ in parts)}]"
            names, values = {index: "i32", name: kind}, lambda env: list(enumerate([run(env) for _, run in parts]))
        body, run_body = self.block({**scope, **names}, targets, depth - 1, True)

        def repeat(env, kept):
            for row in values(env):
                env.update(zip(names, row))
                try:
                    run_body(env, kept)
                except Break:
                    break
                except Continue:
                    continue
        return [f"for {head} {{", *body, "}"], repeat

    def leave(self, scope, _targets, _depth, in_loop):
        text, run = expression(self.rng, "u8", 2, scope)
        if in_loop and self.rng.random() < 0.6:
            word, error = self.rng.choice([("break", Break), ("continue", Continue)])
            result = None
        else:
            value, result = expression(self.rng, self.result, 2, scope)
            word, error = f"return {value}", Return

        def go(env, kept):
            if run(env):
                raise error(result(env)) if result else error()
        return [f"if {text} {{ {word} }}"], go

    def block(self, scope, targets, depth, in_loop=False):
        scope, targets, lines, steps = dict(scope), dict(targets), [], []
        kinds = [self.declare, self.declare, self.assign, self.assign, self.leave]
        if depth > 0:
            kinds += [self.branch, self.loop, self.loop]
        for _ in range(self.rng.randint(1, 4)):
            more, run = self.rng.choice(kinds)(scope, targets, depth, in_loop)
            lines += ["    " + line for line in more]
            steps.append(run)

        def run_all(env, kept):
            for step in steps:
                step(env, kept)
        return lines, run_all


# ---- Cases


def call(run, result, x, y, kept):
    env = {"x": x, "y": y}
    try:
        run(env, kept)
        return result(env)
    except Return as value:
        return value.args[0]


def case(rng, name):
    """A function of two inputs, fed two batches; what it gives, or the fault that stops it."""
    kinds = {"a": rng.choice(TYPES), "b": rng.choice(TYPES), "out": rng.choice(TYPES)}
    scope = {"x": kinds["a"], "y": kinds["b"]}
    lines, run = Bodies(rng, kinds["out"]).block(scope, scope, rng.choice([0, 1, 3]))
    text, result = expression(rng, kinds["out"], rng.choice([2, 4]), scope)
    source = [f"func f(x {kinds['a']}, y {kinds['b']}) {kinds['out']} {{", *lines, f"    return {text}", "}",
              "{ a: x, b: y } -> f{} -> out"]
    made = {"name": name, "channels": kinds, "source": source, "steps": []}
    n, kept = rng.choice([1, 5, 20]), {}
    for step in range(2):
        a, b = ([sample(rng, kinds[c]) for _ in range(n)] for c in "ab")
        expect = []
        if "runtime_error" not in made:
            try:
                expect = [call(run, result, x, y, kept) for x, y in zip(a, b)]
            except Fault as fault:
                made["runtime_error"] = {"step": step, "contains": str(fault)}
        made["steps"].append({"at": f"{step + 1}ms",
                              "write": {"a": [as_json(v) for v in a], "b": [as_json(v) for v in b]},
                              "expect": {"out": [as_json(v) for v in expect]}})
    return made
