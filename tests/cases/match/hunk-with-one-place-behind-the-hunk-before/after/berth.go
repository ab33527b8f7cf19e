package ferry

func (b *Berth) Open() error {
	if b.closed {
		return nil
	}
	return b.lower(slow)
}

func (b *Berth) Close() error {
	if b.closed {
		return errClosed
	}
	return b.raise()
}

func (b *Berth) Name() string {
	return b.name
}
