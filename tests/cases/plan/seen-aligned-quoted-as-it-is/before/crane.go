type Crane struct {
	Reach  int
	Owner  string
	Lifted bool
}
