package inline

import (
	"cmp"
	"sync"
)

// Readers of an RWMutex do not keep a writer out from one section to the next.

type window struct {
	mu     sync.RWMutex
	lo, hi float64
}

func (w *window) Slide(by float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lo += by
	w.hi += by
}

func (w *window) Width() float64 {
	w.mu.RLock()
	lo := w.lo
	w.mu.RUnlock()
	w.mu.RLock()
	hi := w.hi // want `split-read: w\.lo at line 24 and w\.hi here are read apart, in separate critical sections, but written together by \(\*window\)\.Slide under window\.mu`
	w.mu.RUnlock()
	return hi - lo
}

func (w *window) WidthAtOnce() float64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.hi - w.lo
}

// Mixed locks for reading and then for writing.
func (w *window) Mixed() float64 {
	w.mu.RLock()
	lo := w.lo
	w.mu.RUnlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hi - lo // want `split-read: w\.lo at line 41 and w\.hi here are read apart, in separate critical sections`
}

// A lock that is embedded.

type span struct {
	sync.Mutex
	from, to int
}

func (s *span) Move(n int) {
	s.Lock()
	s.from, s.to = n, n+s.to-s.from
	s.Unlock()
}

func (s *span) Len() int {
	s.Lock()
	from := s.from
	s.Unlock()
	s.Lock()
	to := s.to // want `split-read: s\.from at line 63 and s\.to here are read apart, in separate critical sections`
	s.Unlock()
	return to - from
}

func (s *span) LenAtOnce() int {
	s.Lock()
	defer s.Unlock()
	return s.to - s.from
}

// Package variables.

var (
	ratesMu sync.Mutex
	buy     float64
	sell    float64
)

func SetRates(b, s float64) {
	ratesMu.Lock()
	defer ratesMu.Unlock()
	buy, sell = b, s
}

func Spread() float64 {
	ratesMu.Lock()
	b := buy
	ratesMu.Unlock()
	ratesMu.Lock()
	s := sell // want `split-read: buy at line 93 and sell here are read apart, in separate critical sections, but written together by SetRates under ratesMu`
	ratesMu.Unlock()
	return s - b
}

func SpreadAtOnce() float64 {
	ratesMu.Lock()
	defer ratesMu.Unlock()
	return sell - buy
}

// Close marks the market as closed, in two steps.
func CloseMarket() {
	ratesMu.Lock()
	buy = 0
	ratesMu.Unlock()
	ratesMu.Lock()
	sell = 0 // want `split-write: buy at line 110 and sell here are written apart, in separate critical sections`
	ratesMu.Unlock()
}

// One variable, that is a struct with its lock.
var limits struct {
	sync.Mutex
	soft, hard int
}

func SetLimits(n int) {
	limits.Lock()
	limits.soft, limits.hard = n/2, n
	limits.Unlock()
}

func Room() int {
	limits.Lock()
	n := limits.soft
	limits.Unlock()
	limits.Lock()
	defer limits.Unlock()
	return limits.hard - n // want `split-read: limits\.soft at line 131 and limits\.hard here are read apart, in separate critical sections`
}

// Generic types.

type minmax[T cmp.Ordered] struct {
	mu       sync.Mutex
	min, max T
	some     bool
}

func (m *minmax[T]) Restart(v T) {
	m.mu.Lock()
	m.min, m.max = v, v
	m.mu.Unlock()
}

func (m *minmax[T]) Inside(v T) bool {
	m.mu.Lock()
	lo := m.min
	m.mu.Unlock()
	m.mu.Lock()
	hi := m.max // want `split-read: m\.min at line 154 and m\.max here are read apart, in separate critical sections, but written together by \(\*minmax\[T\]\)\.Restart`
	m.mu.Unlock()
	return lo <= v && v <= hi
}

func (m *minmax[T]) InsideAtOnce(v T) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.min <= v && v <= m.max
}

func inside(m *minmax[int], n int) bool {
	m.mu.Lock()
	lo := m.min
	m.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	return lo <= n && n <= m.max // want `split-read: m\.min at line 170 and m\.max here are read apart, in separate critical sections`
}

// TryLock takes the lock on one way only.
func (w *window) Try() float64 {
	if !w.mu.TryRLock() {
		return 0
	}
	lo := w.lo
	w.mu.RUnlock()
	if !w.mu.TryRLock() {
		return 0
	}
	defer w.mu.RUnlock()
	return w.hi - lo // want `split-read: w\.lo at line 182 and w\.hi here are read apart, in separate critical sections`
}

// A channel with one place is a lock.

type slot struct {
	sem  chan struct{}
	a, b int
}

func newSlot() *slot { return &slot{sem: make(chan struct{}, 1)} }

func (s *slot) Put(a, b int) {
	s.sem <- struct{}{}
	s.a, s.b = a, b
	<-s.sem
}

func (s *slot) Sum() int {
	s.sem <- struct{}{}
	a := s.a
	<-s.sem
	s.sem <- struct{}{}
	b := s.b // want `split-read: s\.a at line 208 and s\.b here are read apart, in separate critical sections`
	<-s.sem
	return a + b
}

func (s *slot) SumAtOnce() int {
	s.sem <- struct{}{}
	defer func() { <-s.sem }()
	return s.a + s.b
}
