package claim

import (
	"sync"
	"time"
)

type errand struct {
	stage stage
	rest  time.Duration
	next  time.Time
	busy  bool
}

// Errands are run by several goroutines. The locks of Errands guard the errands, too, which its methods are given.
type Errands struct {
	mu   sync.Mutex
	list map[string]*errand
}

func (e *Errands) Add(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list[name] = &errand{next: time.Now()}
}

func (e *Errands) filed() *errand {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range e.list {
		if one.stage == filed {
			return one
		}
	}
	return nil
}

func (e *Errands) start(one *errand) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one.stage = playing
}

// Run is wrong: another one may have found the same errand. That there was one tells nothing of its stage.
func (e *Errands) Run(run func(*errand)) {
	one := e.filed()
	if one == nil {
		return
	}
	e.start(one) // want `check-then-act: e\.list\[…\]\.stage was checked at line \d+`
	run(one)
}

func (e *Errands) nameOfFiled() (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, one := range e.list {
		if one.stage == filed {
			return name, true
		}
	}
	return "", false
}

func (e *Errands) startNamed(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.list[name]
	one.stage = playing
}

// RunNamed is wrong in the same way. The key of the element is one of two results.
func (e *Errands) RunNamed(run func(string)) {
	name, ok := e.nameOfFiled()
	if !ok {
		return
	}
	e.startNamed(name) // want `check-then-act: e\.list\[…\]\.stage was checked at line \d+`
	run(name)
}

// due chooses by what it finds in the errand; the time is no key of it.
func (e *Errands) due(now time.Time) (*errand, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range e.list {
		if !one.busy && now.After(one.next) {
			one.busy = true
			return one, true
		}
	}
	return nil, false
}

func (e *Errands) yield(one *errand) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one.next = time.Now().Add(one.rest)
	one.busy = false
}

func (e *Errands) restOf(one *errand) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return one.rest
}

func (e *Errands) setRest(one *errand, d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one.rest = d
}

// Pace has claimed the errand in an earlier section than that in which it reads.
func (e *Errands) Pace(run func(*errand) bool) {
	one, ok := e.due(time.Now())
	if !ok {
		return
	}
	defer e.yield(one)
	rest := e.restOf(one)
	if run(one) {
		e.setRest(one, rest/2)
	} else {
		e.setRest(one, rest*2)
	}
}

// Hurry is wrong: it gives up the claim too early.
func (e *Errands) Hurry(run func(*errand)) {
	one, ok := e.due(time.Now())
	if !ok {
		return
	}
	rest := e.restOf(one)
	run(one)
	e.yield(one)
	e.setRest(one, rest/2) // want `lost-update: e\.list\[…\]\.rest was read at line \d+`
}

type haul struct {
	inWork bool
	rows   int
}

// Hauls are merged by several goroutines; who has marked one has it.
type Hauls struct {
	mu    sync.Mutex
	hauls []*haul
}

func (h *Hauls) Add(rows int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hauls = append(h.hauls, &haul{rows: rows})
}

func (h *Hauls) takeLocked() []*haul {
	var free []*haul
	for _, one := range h.hauls {
		if !one.inWork {
			free = append(free, one)
		}
	}
	if len(free) < 2 {
		return nil
	}
	for _, one := range free {
		one.inWork = true
	}
	return free
}

func (h *Hauls) release(list []*haul) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range list {
		one.inWork = false
	}
}

// Merge gives back what it has marked, in the section of its caller.
func (h *Hauls) Merge(merge func([]*haul) error) {
	h.mu.Lock()
	list := h.takeLocked()
	h.mu.Unlock()
	if list == nil {
		return
	}
	if merge(list) != nil {
		h.release(list)
	}
}

// Ports hands out numbers.
type Ports struct {
	mu   sync.Mutex
	used map[int]string
}

func (p *Ports) lowest() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := 1024; n < 2048; n++ {
		if _, used := p.used[n]; !used {
			return n, true
		}
	}
	return 0, false
}

func (p *Ports) enter(n int, owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used[n] = owner
}

func (p *Ports) Release(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.used, n)
}

// Open is wrong: another one may have got the same number.
func (p *Ports) Open(owner string, listen func(int) error) error {
	n, ok := p.lowest()
	if !ok {
		return nil
	}
	if err := listen(n); err != nil {
		return err
	}
	p.enter(n, owner) // want `p\.used\[…\] was read at line \d+`
	return nil
}

type line struct {
	calls int
	used  time.Time
}

// Lines are shared by callers.
type Lines struct {
	mu    sync.Mutex
	lines []*line
}

func (l *Lines) Add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, &line{})
}

func (l *Lines) leastUsed() *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	var best *line
	for _, one := range l.lines {
		if best == nil || one.calls < best.calls {
			best = one
		}
	}
	return best
}

func (l *Lines) below(limit int) *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.lines {
		if one.calls < limit {
			return one
		}
	}
	return nil
}

func (l *Lines) count(one *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.calls++
	one.used = time.Now()
}

// Dial would as well take another line.
func (l *Lines) Dial(dial func(*line)) {
	one := l.leastUsed()
	if one == nil {
		return
	}
	l.count(one)
	dial(one)
}

// Limit is wrong: the last call that a line may have is made twice.
func (l *Lines) Limit(dial func(*line)) {
	one := l.below(3)
	if one == nil {
		return
	}
	l.count(one) // want `check-then-act: line\.calls was checked at line \d+`
	dial(one)
}

// Push has carts; Rest changes what the claim is for without it.
type Push struct {
	mu    sync.Mutex
	carts map[string]*cart
}

type cart struct {
	busy bool
	load int
}

func (p *Push) Add(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.carts[name] = &cart{}
}

func (p *Push) claim() *cart {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.carts {
		if !c.busy {
			c.busy = true
			return c
		}
	}
	return nil
}

func (p *Push) yield(c *cart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.busy = false
}

func (p *Push) loadOf(c *cart) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.load
}

func (p *Push) setLoad(c *cart, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.load = n
}

func (p *Push) Rest(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.carts[name]; c != nil {
		c.load += 10
	}
}

func (p *Push) Run(run func(int) int) {
	c := p.claim()
	if c == nil {
		return
	}
	defer p.yield(c)
	n := p.loadOf(c)
	p.setLoad(c, run(n)) // want `lost-update: p\.carts\[…\]\.load was read at line \d+`
}
