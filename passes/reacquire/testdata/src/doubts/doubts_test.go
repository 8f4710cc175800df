package doubts

import "testing"

// A test looks at the two one after the other.
func TestFree(t *testing.T) {
	p := &plant{tank: new(tank)}
	go p.tank.Fill(1, 2)
	if free(p); p.free < 0 {
		t.Error(p.free)
	}
}

func free(p *plant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.tank.Level()
	p.free = p.tank.Limit() - n // want `reacquire: .* \[medium confidence: tests mostly do one thing after the other\]`
}
