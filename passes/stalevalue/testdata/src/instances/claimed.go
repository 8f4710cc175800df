package instances

import (
	"sync"
	"sync/atomic"
)

// A Sampler has a lost update, unless one goroutine works on it.
type Sampler struct {
	mu      sync.Mutex
	started bool
	rate    int
}

func (s *Sampler) read() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rate
}

func (s *Sampler) set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rate = n
}

// A Flagged sampler tests and sets a flag in one section.
type Flagged struct{ Sampler }

func (s *Flagged) Start(work func() int) {
	s.mu.Lock()
	if s.started {
		s.mu.Unlock()
		return
	}
	s.started = true
	s.mu.Unlock()
	go s.loop(work)
}

func (s *Flagged) loop(work func() int) {
	for range 10 {
		n := s.read()
		s.set(n*2 + work())
	}
}

// A Swapped sampler has an atomic flag.
type Swapped struct {
	mu      sync.Mutex
	started atomic.Bool
	rate    int
}

func (s *Swapped) Start(work func() int) {
	if s.started.Swap(true) {
		return
	}
	go s.loop(work)
}

func (s *Swapped) loop(work func() int) {
	for range 10 {
		s.mu.Lock()
		n := s.rate
		s.mu.Unlock()
		n = n*2 + work()
		s.mu.Lock()
		s.rate = n
		s.mu.Unlock()
	}
}

// A Compared sampler takes it by a compare-and-swap.
type Compared struct {
	mu      sync.Mutex
	started atomic.Int32
	rate    int
}

func (s *Compared) Start(work func() int) {
	if !s.started.CompareAndSwap(0, 1) {
		return
	}
	go s.loop(work)
}

func (s *Compared) loop(work func() int) {
	for range 10 {
		s.mu.Lock()
		n := s.rate
		s.mu.Unlock()
		n = n*2 + work()
		s.mu.Lock()
		s.rate = n
		s.mu.Unlock()
	}
}

// A Cancelled sampler has a function that is nil until then.
type Cancelled struct {
	mu     sync.Mutex
	cancel func()
	rate   int
}

func (s *Cancelled) Start(work func() int, cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return
	}
	s.cancel = func() { cancel() }
	go s.loop(work)
}

func (s *Cancelled) loop(work func() int) {
	for range 10 {
		s.mu.Lock()
		n := s.rate
		s.mu.Unlock()
		n = n*2 + work()
		s.mu.Lock()
		s.rate = n
		s.mu.Unlock()
	}
}

// A Restarted sampler clears the flag while its goroutine may still run.
type Restarted struct {
	mu      sync.Mutex
	started bool
	rate    int
}

func (s *Restarted) Start(work func() int) {
	s.mu.Lock()
	if s.started {
		s.mu.Unlock()
		return
	}
	s.started = true
	s.mu.Unlock()
	go s.loop(work)
}

func (s *Restarted) Stop() {
	s.mu.Lock()
	s.started = false
	s.mu.Unlock()
}

func (s *Restarted) loop(work func() int) {
	for range 10 {
		s.mu.Lock()
		n := s.rate
		s.mu.Unlock()
		n = n*2 + work()
		s.mu.Lock()
		s.rate = n // want `lost-update: s\.rate was read at line \d+`
		s.mu.Unlock()
	}
}

// A Blind sampler sets the flag, and does not ask.
type Blind struct {
	mu      sync.Mutex
	started bool
	rate    int
}

func (s *Blind) Start(work func() int) {
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	go s.loop(work)
}

func (s *Blind) loop(work func() int) {
	for range 10 {
		s.mu.Lock()
		n := s.rate
		s.mu.Unlock()
		n = n*2 + work()
		s.mu.Lock()
		s.rate = n // want `lost-update: s\.rate was read at line \d+`
		s.mu.Unlock()
	}
}

type job struct {
	mu   sync.Mutex
	done int
}

func (j *job) run(steps int) {
	for range steps {
		j.mu.Lock()
		n := j.done
		j.mu.Unlock()
		j.mu.Lock()
		j.done = n*2 + 1
		j.mu.Unlock()
	}
}

// Spread makes a job for each goroutine.
func Spread(steps []int) []*job {
	var jobs []*job
	for _, n := range steps {
		j := &job{}
		jobs = append(jobs, j)
		go j.run(n)
	}
	return jobs
}

type chore struct {
	mu   sync.Mutex
	done int
}

func (c *chore) run(steps int) {
	for range steps {
		c.mu.Lock()
		n := c.done
		c.mu.Unlock()
		c.mu.Lock()
		c.done = n*2 + 1 // want `lost-update: c\.done was read at line \d+`
		c.mu.Unlock()
	}
}

// Share makes one chore for all goroutines.
func Share(steps []int) *chore {
	c := &chore{}
	for _, n := range steps {
		go c.run(n)
	}
	return c
}
