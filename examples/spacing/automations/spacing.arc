import time

func spacing_us(t i64 ns) f64 {
    prev $= t
    d := t - prev
    prev = t
    return f64(d) / 1000.0
}

time.interval{period=1ms} -> time.now{} -> spacing_us{} -> loop_spacing_us
