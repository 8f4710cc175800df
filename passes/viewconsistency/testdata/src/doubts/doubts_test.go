package doubts

import "testing"

// A test looks at the two one after the other.
func TestRange(t *testing.T) {
	g := new(gauge)
	go g.Reset(1, 2)
	if n := span(g); n < 0 {
		t.Error(n)
	}
}

func span(g *gauge) int {
	low := g.lowest()
	return g.highest() - low // want `split-read: .* \[low confidence: tests mostly do one thing after the other; most others write only one of the two\]`
}

func (g *gauge) lowest() int  { g.mu.Lock(); defer g.mu.Unlock(); return g.low }
func (g *gauge) highest() int { g.mu.Lock(); defer g.mu.Unlock(); return g.high }
