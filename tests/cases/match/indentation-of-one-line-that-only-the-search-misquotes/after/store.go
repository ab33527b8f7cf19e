func (s *Store) Keys() []string {
	if s.frozen {
		return s.keys(sorted)
	}
	return nil
}
