// Keeps the oven between two temperatures by switching its burner; an open door keeps it off.
LOW_C f32 := 180
HIGH_C f32 := 185

func hysteresis(temp f32) u8 {
    burning u8 $= 0
    if temp < LOW_C {
        burning = 1
    }
    if temp > HIGH_C {
        burning = 0
    }
    if door_open {
        burning = 0
    }
    return burning
}

oven_temp -> hysteresis{} -> burner_cmd
