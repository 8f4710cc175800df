package idiom

import (
	"context"
	"sync"
	"time"
)

// Goroutines that serve an object for its life, and are the only ones to write.

type Scaler struct {
	start  sync.Once
	notify chan struct{}

	mu       sync.RWMutex
	observed int
}

func (s *Scaler) Observed() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.observed
}

func (s *Scaler) record(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observed = n
}

func (s *Scaler) step() {
	if n := s.Observed(); n < 10 {
		s.record(n * 2)
	}
}

func (s *Scaler) loop(n int) {
	for range n {
		s.step()
	}
}

// Start starts one goroutine, whatever it is given.
func (s *Scaler) Start(n int) {
	s.start.Do(func() { go s.loop(n) })
}

type Meter struct {
	mu   sync.Mutex
	rate int
}

func (m *Meter) get() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rate
}

func (m *Meter) set(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rate = n
}

func (m *Meter) run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			m.set(m.get() / 2)
		}
	}
}

// Run is given how long and how often.
func (m *Meter) Run(ctx context.Context, every time.Duration) {
	go m.run(ctx, every)
}

type Sweeper struct {
	mu   sync.Mutex
	seen int
	stop chan struct{}
	done sync.WaitGroup
}

func NewSweeper() *Sweeper {
	s := &Sweeper{stop: make(chan struct{})}
	s.done.Go(func() { s.sweep(time.Second) })
	return s
}

func (s *Sweeper) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

func (s *Sweeper) sweep(every time.Duration) {
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(every):
		}
		n := s.get()
		s.mu.Lock()
		s.seen = n * 2
		s.mu.Unlock()
	}
}
