package tide

func Low(days []int) (int, error) {
	best := days[0]
	for _, day := range days {
		best = min(best, day)
	}
	return best, nil
}

func High(days []int) (int, error) {
	best := days[0]
	for _, day := range days {
		best = max(best, day)
	}
	return best, nil
}
