package sequential

import "testing"

func (r *rack) fire(n int) {
	r.mu.Lock()
	c := r.coats[n]
	r.mu.Unlock()
	close(c.worn)
}

func TestRack(t *testing.T) {
	r := &rack{coats: map[int]*coat{1: {make(chan struct{})}}}
	go r.take(1)
	r.fire(1)
}
