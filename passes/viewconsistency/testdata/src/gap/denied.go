package gap

import "sync"

type visit struct{ n int }

// A Surgery has visitors who wait, and visitors who are seen to.
type Surgery struct {
	mu      sync.Mutex
	waiting map[int]*visit
	smu     sync.Mutex
	seen    map[int]*visit
}

func (s *Surgery) Come(n int) {
	s.mu.Lock()
	s.waiting[n] = &visit{n}
	s.mu.Unlock()
}

// Call has the visitor in neither place for a while.
func (s *Surgery) Call(n int) bool {
	s.mu.Lock()
	v, ok := s.waiting[n]
	delete(s.waiting, n)
	s.mu.Unlock()
	if !ok {
		return false
	}
	s.smu.Lock()
	s.seen[n] = v // want `split-write: s\.seen\[n\] is written here for what was taken out of s\.waiting\[n\] at line \d+, in an earlier critical section: in between it is in neither, and \(\*Surgery\)\.Here .*, which looks in both, finds nothing`
	s.smu.Unlock()
	return true
}

// Here says whether the visitor is in one of the places.
func (s *Surgery) Here(n int) bool {
	s.mu.Lock()
	_, waits := s.waiting[n]
	s.mu.Unlock()
	s.smu.Lock()
	_, seen := s.seen[n]
	s.smu.Unlock()
	return waits || seen
}

// A Ward says by a result that nobody is there.
type Ward struct {
	mu   sync.Mutex
	beds map[int]*visit
	out  map[int]*visit
}

func (w *Ward) Come(n int) {
	w.mu.Lock()
	w.beds[n] = &visit{n}
	w.mu.Unlock()
}

func (w *Ward) Leave(n int) {
	w.mu.Lock()
	v := w.beds[n]
	delete(w.beds, n)
	w.mu.Unlock()
	w.mu.Lock()
	w.out[n] = v // want `split-write: w\.out\[n\] is written here for what was taken out of w\.beds\[n\] at line \d+, in an earlier critical section: in between it is in neither, and \(\*Ward\)\.Find .*, which looks in both, finds nothing`
	w.mu.Unlock()
}

func (w *Ward) Find(n int) (*visit, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v := w.beds[n]; v != nil {
		return v, true
	}
	if v := w.out[n]; v != nil {
		return v, true
	}
	return nil, false
}

// A Hotel counts its guests in each place, and says how many are in the one if there are some in the other.
type Hotel struct {
	mu    sync.Mutex
	rooms map[int]*visit
	bar   map[int]*visit
}

func (h *Hotel) Come(n int) {
	h.mu.Lock()
	h.rooms[n] = &visit{n}
	h.mu.Unlock()
}

func (h *Hotel) ToBar(n int) {
	h.mu.Lock()
	v := h.rooms[n]
	delete(h.rooms, n)
	h.mu.Unlock()
	h.mu.Lock()
	h.bar[n] = v
	h.mu.Unlock()
}

// InRoom says nothing of those in the bar.
func (h *Hotel) InRoom(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.rooms[n]
	return ok
}
