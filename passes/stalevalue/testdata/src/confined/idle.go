package confined

import "sync"

// A Sheet has nothing to do without lines: all runs that do something write last without a lock.
type Sheet struct {
	mu   sync.Mutex
	n    int
	last string
}

func (s *Sheet) get() int  { s.mu.Lock(); defer s.mu.Unlock(); return s.n }
func (s *Sheet) set(n int) { s.mu.Lock(); defer s.mu.Unlock(); s.n = n }

func (s *Sheet) Fill(lines []string) {
	if len(lines) == 0 {
		return
	}
	s.set(s.get() + 1)
	s.last = lines[0]
}

// A Roll counts runs without lines, too.
type Roll struct {
	mu   sync.Mutex
	n    int
	last string
}

func (r *Roll) get() int  { r.mu.Lock(); defer r.mu.Unlock(); return r.n }
func (r *Roll) set(n int) { r.mu.Lock(); defer r.mu.Unlock(); r.n = n }

func (r *Roll) Fill(lines []string) {
	r.set(r.get() + 1) // want `lost-update: r.n was read`
	if len(lines) == 0 {
		return
	}
	r.last = lines[0]
}

// A Pad does something else without lines.
type Pad struct {
	mu   sync.Mutex
	n    int
	last string
}

func (p *Pad) get() int  { p.mu.Lock(); defer p.mu.Unlock(); return p.n }
func (p *Pad) set(n int) { p.mu.Lock(); defer p.mu.Unlock(); p.n = n }

func (p *Pad) Fill(lines []string) {
	if len(lines) == 0 {
		p.set(0)
		return
	}
	p.set(p.get() + 1) // want `lost-update: p.n was read`
	p.last = lines[0]
}
