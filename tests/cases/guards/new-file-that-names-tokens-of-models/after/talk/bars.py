BARS = "▁▂▃▄▅▆▇█"
GAP = "▁"
