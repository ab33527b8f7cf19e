type Crane struct {
	Reach  float64
	Owner  string
	Lifted bool
}
