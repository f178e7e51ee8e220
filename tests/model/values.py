"""The numbers of Arc in Python: what each operator and cast gives for each type."""
import math
import struct

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
FLOATS = ("f32", "f64")
TYPES = (*BITS, *FLOATS)


class Fault(Exception):
    """The program stops, with these words."""


def is_signed(kind):
    return kind.startswith("i")


def limits(kind):
    bits = BITS[kind]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(kind) else (0, (1 << bits) - 1)


def wrap(kind, value):
    """The low bits of an integer, as that type reads them."""
    bits = BITS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if is_signed(kind) and value >> bits - 1 else value


def round_f32(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def round_to(kind, value):
    """A result in the precision of its type."""
    return round_f32(value) if kind == "f32" else value if kind == "f64" else wrap(kind, value)


def f32_of_int(value):
    """Rounded once, to nearest even; by way of an f64 it would be twice."""
    size = abs(value)
    shift = max(0, size.bit_length() - 24)
    kept, rest, half = size >> shift, size & ((1 << shift) - 1), (1 << shift) >> 1
    if shift and (rest > half or rest == half and kept & 1):
        kept += 1
    return math.copysign(float(kept << shift), value) if value else 0.0


def divide(a, b):
    """Toward zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def divide_floats(a, b):
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def power(kind, base, exponent):
    if exponent >= 0:
        return wrap(kind, pow(base, exponent, 1 << 64))
    if base == 0:
        raise Fault("division by zero")
    return {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0)


def arithmetic(kind, op, a, b):
    if op == "/" and kind in FLOATS:
        return round_to(kind, divide_floats(a, b))
    if op in "/%" and b == 0:
        raise Fault("division by zero" if op == "/" else "modulo by zero")
    result = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: divide(a, b),
              "%": lambda: a - b * divide(a, b)}[op]()
    return round_to(kind, result)


def compare(op, a, b):
    return int({"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[op])


def cast(to, kind, value):
    if to in FLOATS:
        if kind in FLOATS:
            return round_to(to, value)
        return f32_of_int(value) if to == "f32" else float(value)
    low, high = limits(to)
    if kind in FLOATS:
        return 0 if math.isnan(value) else low if value <= low else high if value >= high else int(value)
    if is_signed(kind) and not is_signed(to) and value < 0:
        return 0
    return wrap(to, value)


def as_json(value):
    """A value as conformance cases spell it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return value
