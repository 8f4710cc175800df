package funcsum

import (
	"testing"

	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// TestPassageID demands that critical sections that differ in any property have different
// identities, however large the function.
func TestPassageID(t *testing.T) {
	guard := func(sites ...int) Hold {
		return Hold{Guard: lockset.Guard{Path: "p0.mu"}, Sites: sites}
	}
	inner := func(i InnerPassage) Hold {
		h := guard(5)
		h.Inner, h.Region = true, i
		return h
	}
	number := func(n int) InnerPassage { return InnerPassage{number: n} }
	all := []Hold{
		guard(), guard(5), guard(5, 6), guard(56), guard(lockset.Entry), guard(5 + 1<<24),
		inner(InnerPassage{}), inner(number(1)), inner(number(1 + 1<<16)),
		inner(InnerPassage{}.inLiteral(150)), inner(number(1).inLiteral(50)), inner(number(2).inLiteral(lockset.Entry)),
		inner(number(1).inLiteral(50).inLiteral(50)),
	}
	for i, a := range all {
		for j, b := range all {
			if (a.Passage() == b.Passage()) != (i == j) || a.SamePassage(b) != (i == j) {
				t.Errorf("passages %d and %d: %+v, %+v", i, j, a, b)
			}
		}
		if a.Region.OfLiteral() != (i >= 9) {
			t.Errorf("passage %d: of a literal %t", i, a.Region.OfLiteral())
		}
	}
	if a, b := inner(number(1).inLiteral(7)), inner(number(1).inLiteral(7)); a.Passage() != b.Passage() {
		t.Error("the same passage has two identities")
	}
}
