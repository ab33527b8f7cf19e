package ship

func TestBow(t *testing.T) {
	if got := bow(); got != 1 {
		t.Fatal(got)
	}
}

func TestStern(t *testing.T) {
	if got := stern(); got != 1 {
		t.Fatal(got)
	}
}

func TestMast(t *testing.T) {
	for range 3 {
		mast()
	}
	checkRigging(t)
	if got := mast(); got != 1 {
		t.Fatal(got)
	}
}

func TestKeel(t *testing.T) {
	if got := keel(); got != 1 {
		t.Fatal(got)
	}
}
