package canal

func (l *Lock) Fill() error {
	if l.full {
		return nil
	}
	return l.openUpper()
}

func (l *Lock) Drain() error {
	if l.empty {
		return nil
	}
	return l.openLower()
}

func (l *Lock) Gauge() string {
	return fmt.Sprintf("%d cm", l.level)
}
