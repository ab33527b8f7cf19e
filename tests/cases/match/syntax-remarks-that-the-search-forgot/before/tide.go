package tide

func highest(levels []Level, from Hour) (Level, error) {
	// Leave out what the gauge could not read.
	known := readable(levels, from)
	sort(known)

	// Nothing is known of the night.
	if len(known) == 0 {
		return Level{}, errUnknown
	}
	return known[0], nil
}
