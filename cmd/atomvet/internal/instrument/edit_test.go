package instrument

import "testing"

// TestApply: edits nest as the syntax does, and what is put between statements comes first.
func TestApply(t *testing.T) {
	const src = "f(s.m[k])"
	edits := []edit{
		{2, 5, "R(", ")", access}, // s.m
		{6, 7, "K(", ")", access}, // k
		{2, 8, "V(", ")", marker}, // s.m[k]
		{0, 1, "A(", ")", marker}, // f
		{0, 0, "x; ", "", statement},
		{9, 9, "; y", "", statement},
	}
	const want = "x; A(f)(V(R(s.m)[K(k)])); y"
	for range len(edits) {
		if got := string(apply([]byte(src), append([]edit(nil), edits...))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		edits = append(edits[1:], edits[0])
	}
}
