package a

import (
	"errors"
	"slices"
	"sync"
	"time"
)

var ErrRunning = errors.New("rollout: already running")

type Health interface {
	Check(feature string, percent int) error
}

type plan struct {
	feature string
	steps   []int
	idx     int
	percent int
	halted  bool
	reason  string
	timer   *time.Timer
}

func (p *plan) finished() bool { return p.halted || p.idx == len(p.steps) }

type Scheduler struct {
	health Health
	every  time.Duration

	mu    sync.Mutex
	plans map[string]*plan
}

func NewScheduler(h Health, every time.Duration) *Scheduler {
	return &Scheduler{health: h, every: every, plans: make(map[string]*plan)}
}

func (s *Scheduler) Start(feature string, steps ...int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.plans[feature]; ok && !old.finished() {
		return ErrRunning
	}
	p := &plan{feature: feature, steps: slices.Clone(steps)}
	s.plans[feature] = p
	s.scheduleLocked(p)
	return nil
}

func (s *Scheduler) scheduleLocked(p *plan) {
	if p.finished() {
		return
	}
	p.timer = time.AfterFunc(s.every, func() { s.advance(p) })
}

func (s *Scheduler) advance(p *plan) {
	s.mu.Lock()
	if p.finished() {
		s.mu.Unlock()
		return
	}
	pct := p.steps[p.idx]
	s.mu.Unlock()

	if err := s.health.Check(p.feature, pct); err != nil {
		s.halt(p, err.Error())
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	p.percent = pct
	p.idx++
	s.scheduleLocked(p)
}

func (s *Scheduler) halt(p *plan, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.finished() {
		return
	}
	p.halted = true
	p.reason = reason
	p.percent = 0
	p.timer.Stop()
}

// Abort stops a running rollout and takes the feature back from everybody.
func (s *Scheduler) Abort(feature string) bool {
	s.mu.Lock()
	p, ok := s.plans[feature]
	s.mu.Unlock()
	if ok {
		s.halt(p, "aborted")
	}
	return ok
}

func (s *Scheduler) Percent(feature string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.plans[feature]; ok {
		return p.percent
	}
	return 0
}
