// Holds the level and the temperature of the tank.
import time

// PI with anti-windup: the integral stands still while the output is at an end.
func pi{set_point chan f64, kp f64, ki f64, dt f64}(value f64) f64 {
    sum $= 0.0
    err := set_point - value
    raw := kp * err + sum
    out := raw
    if out > 1.0 {
        out = 1.0
    }
    if out < 0.0 {
        out = 0.0
    }
    if out == raw {
        sum += ki * err * dt
    }
    return out
}

// Without water the heater stays off, whatever the controller wants.
func guard(power f64) f64 {
    if tank_level < 0.1 {
        return 0.0
    }
    return power
}

1 -> pump_cmd
0.15 -> outlet_cmd

// By data: every sample of a batch goes through the controller, and the last result of the batch is the command.
tank_level -> pi{set_point=level_sp, kp=6.0, ki=1.0, dt=0.001} -> inlet_cmd

// By the clock: ten times a second, on the newest temperature.
time.interval{period=100ms} -> tank_temp + 0.0 -> pi{set_point=temp_sp, kp=0.2, ki=0.02, dt=0.1} -> guard{} -> heater_cmd
