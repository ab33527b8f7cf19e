package tide

func earlier(left, right Tide) bool {
	if left.Harbour != right.Harbour {
		return left.Harbour < right.Harbour
	}
	if left.OpenedAt != right.OpenedAt {
		return left.OpenedAt < right.OpenedAt
	}
	height := left.HeightAtNoon - right.HeightAtNoon
	logged(left.Harbour, height)
	return height < Least
}
