ring_bell once
wait_for it
