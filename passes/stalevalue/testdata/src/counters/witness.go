package counters

import "sync"

// A Flusher sends what has been counted.
type Flusher struct {
	mu   sync.Mutex
	hits int
}

// Hit counts one.
func (s *Flusher) Hit() { s.mu.Lock(); s.hits++; s.mu.Unlock() }

// Report loses the hits that come after its second look.
func (s *Flusher) Report(send func(int)) {
	s.mu.Lock()
	first := s.hits
	s.mu.Unlock()
	send(first)
	s.mu.Lock()
	second := s.hits
	s.mu.Unlock()
	if second != first {
		send(second - first)
		s.mu.Lock()
		s.hits = 0 // want `s.hits was checked at line 21, but .* another goroutine may change it`
		s.mu.Unlock()
	}
}

type drawer struct{ n int }

// A Cabinet has a number for each drawer that was ever open.
type Cabinet struct {
	mu    sync.Mutex
	files map[string]*drawer
	nmu   sync.Mutex
	nums  map[string]int
}

// NewCabinet is empty.
func NewCabinet() *Cabinet { return &Cabinet{files: map[string]*drawer{}, nums: map[string]int{}} }

func (d *Cabinet) num(k string) int       { d.nmu.Lock(); defer d.nmu.Unlock(); return d.nums[k] }
func (d *Cabinet) setNum(k string, n int) { d.nmu.Lock(); defer d.nmu.Unlock(); d.nums[k] = n }

// Close takes the drawer away, and leaves the number.
func (d *Cabinet) Close(k string) { d.mu.Lock(); delete(d.files, k); d.mu.Unlock() }

// Open may find no drawer, and give another number.
func (d *Cabinet) Open(k string, next func() int) *drawer {
	n := d.num(k)
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[k]; f != nil {
		return f
	}
	if n == 0 {
		n = next()
		d.setNum(k, n) // want `d.nums\[k\] was checked at line \d+, but .* another goroutine may change it`
	}
	f := &drawer{n}
	d.files[k] = f
	return f
}
