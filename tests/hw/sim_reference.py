"""The plants of hw/sim, written down a second time from docs and in another language.

Prints the numbers that tests/hw/test_sim_plant.c compares with. Run it after a change of the
plants' definition, never to make a failing test pass.
"""
import math

H = 1e-3


def tank(steps, inputs, area=0.5, height=2.0, level=0.5, q_in_max=1.5, k_out=1.2, power=6000.0,
         loss=20.0, t_ambient=20.0, t_inlet=15.0, temp=20.0, lag=2.0):
    """inputs: {step: {name: value}}, set when that step starts."""
    now = {"heater": 0.0, "inlet": 0.0, "outlet": 0.0, "pump": 0.0}
    water, over, energy = temp, False, 0.0
    q_in = q_out = watts = 0.0
    for step in range(steps):
        now.update(inputs.get(step, {}))
        heater = 0.0 if over else now["heater"]
        q_in = q_in_max * now["inlet"] * (1.0 if now["pump"] else 0.2)
        q_out = k_out * now["outlet"] * math.sqrt(max(level, 0.0))
        level = min(max(level + H * (q_in - q_out) / (1000 * area), 0.0), height)
        cap = 4186.0 * 1000.0 * area * max(level, 0.02)
        g = loss + 4186.0 * q_in
        t_inf = (loss * t_ambient + 4186.0 * q_in * t_inlet + power * heater) / g
        water = t_inf + (water - t_inf) * math.exp(-H * g / cap)
        temp += (water - temp) * (1 - math.exp(-H / lag))
        watts = power * heater
        energy += H * watts
        over = temp > 95 or (over and temp >= 90)
    return {"temp": temp, "level": level, "flow_in": q_in, "flow_out": q_out,
            "pressure": 1.013 + 0.0981 * level, "level_low": float(level < 0.1),
            "level_high": float(level > 0.95 * height), "over_temp": float(over),
            "heater_power": watts, "energy": energy}


def first_order(steps, inputs, gain, tau, dead_steps, u0):
    u, y, past = u0, 0.0, [u0] * dead_steps
    for step in range(steps):
        u = inputs.get(step, u)
        past.append(u)
        y += (gain * past.pop(0) - y) * (1 - math.exp(-H / tau))
    return y


def show(title, values):
    print(title)
    for name, value in values.items():
        print(f"    {name:13} {value!r}")


if __name__ == "__main__":
    run = {0: {"heater": 1.0}, 10000: {"inlet": 0.5, "pump": 1.0, "outlet": 0.3},
           30000: {"heater": 0.25, "inlet": 0.0}}
    small = dict(area=0.01, power=500.0, level=0.8)
    show("small tank, 45 s", tank(45000, run, **small))
    show("default tank, heated 10 s", tank(10000, {0: {"heater": 1.0}}))
    show("default tank, filled 2000 s", tank(2000000, {0: {"inlet": 1.0, "pump": 1.0}}))
    hot = dict(area=0.01, power=50000.0, level=0.1, temp=90.0, loss=500.0)
    for s in (3000, 6000, 20000, 60000):
        show(f"overheated, {s} ms", tank(s, {0: {"heater": 1.0}}, **hot))
    print("first order", first_order(2500, {1000: 3.0}, 2.0, 0.5, 250, 1.0))
