package doubts

import "testing"

var plants = make(chan *plant, 1)

// A test looks at the two one after the other.
func TestFree(t *testing.T) {
	p := <-plants
	go p.tank.Fill(1, 2)
	go free(p)
	if n := left(p); n < 0 {
		t.Error(n)
	}
}

// left is only run by a test.
func left(p *plant) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.tank.Level()
	return p.tank.Limit() - n
}

// free is run by a goroutine of a test.
func free(p *plant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.tank.Level()
	p.free = p.tank.Limit() - n // want `reacquire: .* \[medium confidence: tests mostly do one thing after the other\]`
}
