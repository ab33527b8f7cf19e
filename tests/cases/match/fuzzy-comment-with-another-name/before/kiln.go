package pottery

// Fire heats the kiln to the cone that the glaze asks for.
func (k *Kiln) Fire(cone int) error {
	k.log("firing", cone)
	return k.heat(degrees(cone))
}

// Cool is here so that callers need no vent.
func (k *Kiln) Cool() error {
	k.log("cooling", 0)
	return k.vent(open)
}
