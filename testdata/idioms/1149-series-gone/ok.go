// Correct: the series that Append looked up may be collected before the sample
// is added, but add looks at gone again under the lock of the series and
// refuses; Append then looks the series up anew. Collect takes a series out
// of the map in the same critical section of mu in which it becomes gone.
package ok

import "sync"

type sample struct {
	t int64
	v float64
}

type series struct {
	key string

	mu      sync.Mutex
	samples []sample
	gone    bool
}

func (s *series) add(p sample) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return false
	}
	s.samples = append(s.samples, p)
	return true
}

// retire forgets old samples and is true if none are left.
func (s *series) retire(before int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.samples[:0]
	for _, p := range s.samples {
		if p.t >= before {
			kept = append(kept, p)
		}
	}
	s.samples = kept
	s.gone = len(kept) == 0
	return s.gone
}

// Head is the in-memory part of a time series database.
type Head struct {
	mu     sync.RWMutex
	series map[string]*series
}

func NewHead() *Head {
	return &Head{series: make(map[string]*series)}
}

func (h *Head) lookup(key string) *series {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.series[key]
}

func (h *Head) getOrCreate(key string) *series {
	if s := h.lookup(key); s != nil {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.series[key]; s != nil {
		return s
	}
	s := &series{key: key}
	h.series[key] = s
	return s
}

// Append adds a sample; scrapers call it.
func (h *Head) Append(key string, t int64, v float64) {
	p := sample{t, v}
	for {
		s := h.getOrCreate(key)
		if s.add(p) {
			return
		}
	}
}

// Collect throws away what is older than before; a timer calls it.
func (h *Head) Collect(before int64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for key, s := range h.series {
		if s.retire(before) {
			delete(h.series, key)
			n++
		}
	}
	return n
}

// Sum adds up the samples of a series.
func (h *Head) Sum(key string) (sum float64) {
	s := h.lookup(key)
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.samples {
		sum += p.v
	}
	return sum
}
