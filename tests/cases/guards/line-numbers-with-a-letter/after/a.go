package a

func Load(path string) []string {
	rows := read(path)
	return rows
}
