package lock

func (l *Lock) Fill() error {
	if l.open {
		return ErrOpen
	}
	l.pump(1)
	return nil
}

func (l *Lock) Wait() {
	l.sleep()
}

func (l *Lock) Empty() error {
	if l.open {
		return ErrOpen
	}
	l.pump(2)
	return nil
}

func (l *Lock) Reset() error {
	if l.open {
		return ErrOpen
	}
	l.pump(3)
	return nil
}
