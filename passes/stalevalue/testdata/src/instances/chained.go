package instances

import (
	"sync"
	"time"
)

// A Rollout has plans that go on step by step. The timer of the next step is set by the last one.
type Rollout struct {
	check func(feature string, percent int) error

	mu    sync.Mutex
	plans map[string]*plan
}

type plan struct {
	feature string
	steps   []int
	at      int
	percent int
	halted  bool
	timer   *time.Timer
}

func (p *plan) over() bool { return p.halted || p.at == len(p.steps) }

// Begin sets the timer of the first step, of a plan that is new.
func (r *Rollout) Begin(feature string, steps ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &plan{feature: feature, steps: steps}
	r.plans[feature] = p
	r.scheduleLocked(p)
}

func (r *Rollout) scheduleLocked(p *plan) {
	if p.over() {
		return
	}
	p.timer = time.AfterFunc(time.Second, func() { r.advance(p) })
}

// advance does not look whether the plan was halted during the check.
func (r *Rollout) advance(p *plan) {
	r.mu.Lock()
	if p.over() {
		r.mu.Unlock()
		return
	}
	percent := p.steps[p.at]
	r.mu.Unlock()

	if err := r.check(p.feature, percent); err != nil {
		r.halt(p)
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	p.percent = percent // want `check-then-act: p\.halted was checked at line \d+, .* before this write of p\.percent`
	p.at++
	r.scheduleLocked(p)
}

func (r *Rollout) halt(p *plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.over() {
		return
	}
	p.halted = true
	p.percent = 0
	p.timer.Stop()
}

// Abort halts a plan.
func (r *Rollout) Abort(feature string) {
	r.mu.Lock()
	p, ok := r.plans[feature]
	r.mu.Unlock()
	if ok {
		r.halt(p)
	}
}

// A Survey has rounds that each start the next one, and may be started again at any time.
type Survey struct {
	ask func(round int)

	mu     sync.Mutex
	topics map[string]*topic
}

type topic struct {
	name  string
	round int
}

// Open starts the first round of a topic.
func (s *Survey) Open(name string) {
	t := &topic{name: name}
	s.mu.Lock()
	s.topics[name] = t
	s.mu.Unlock()
	s.start(t)
}

// Reopen starts another first round, beside those that go on.
func (s *Survey) Reopen(name string) {
	s.mu.Lock()
	t := s.topics[name]
	s.mu.Unlock()
	if t != nil {
		s.start(t)
	}
}

func (s *Survey) start(t *topic) { go func() { s.next(t) }() }

func (s *Survey) next(t *topic) {
	s.mu.Lock()
	n := t.round
	s.mu.Unlock()
	s.ask(n)
	s.mu.Lock()
	t.round = n + 1 // want `lost-update: t\.round was read at line \d+.*several goroutines started at`
	s.mu.Unlock()
	s.start(t)
}

// A Relay has legs that each start the next one when all is done, and nobody else does.
type Relay struct {
	run func(leg int)

	mu    sync.Mutex
	teams map[string]*team
}

type team struct{ leg int }

func (r *Relay) Enter(name string) {
	t := &team{}
	r.mu.Lock()
	r.teams[name] = t
	r.mu.Unlock()
	r.hand(t)
}

func (r *Relay) hand(t *team) { go func() { r.leg(t) }() }

func (r *Relay) leg(t *team) {
	r.mu.Lock()
	n := t.leg
	r.mu.Unlock()
	r.run(n)
	r.mu.Lock()
	t.leg = n + 1
	r.mu.Unlock()
	r.hand(t)
}

func (r *Relay) Leg(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.teams[name]; t != nil {
		return t.leg
	}
	return 0
}

// A Hurdle starts the next run before it has counted its own.
type Hurdle struct {
	run func(n int)

	mu    sync.Mutex
	lanes map[string]*lane
}

type lane struct{ runs int }

func (h *Hurdle) Enter(name string) {
	l := &lane{}
	h.mu.Lock()
	h.lanes[name] = l
	h.mu.Unlock()
	h.send(l)
}

func (h *Hurdle) send(l *lane) { go func() { h.jump(l) }() }

func (h *Hurdle) jump(l *lane) {
	h.mu.Lock()
	n := l.runs
	h.mu.Unlock()
	h.send(l)
	h.run(n)
	h.mu.Lock()
	l.runs = n + 1 // want `lost-update: l\.runs was read at line \d+`
	h.mu.Unlock()
}
