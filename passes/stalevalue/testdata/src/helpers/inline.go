package helpers

import (
	"sync"
	"time"
)

type interval struct{ cells map[string]int }

// Recorder counts by interval.
type Recorder struct {
	mu  sync.Mutex
	cur *interval
}

func (r *Recorder) Add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cur.cells[name]++
}

// Flush has the old interval for itself.
func (r *Recorder) Flush(ship func(string, int)) {
	r.mu.Lock()
	old := r.cur
	r.cur = &interval{cells: make(map[string]int)}
	r.mu.Unlock()
	for name, n := range old.cells {
		ship(name, n)
	}
}

// Peek looks into the one that others add to.
func (r *Recorder) Peek(ship func(string, int)) {
	r.mu.Lock()
	cur := r.cur
	r.mu.Unlock()
	for name, n := range cur.cells { // want `escape-ref: r\.cur\.cells was read at line \d+ without a lock`
		ship(name, n)
	}
}

type grant struct{ serial int }

// Tenant has the newest grant.
type Tenant struct {
	mu      sync.Mutex
	updated time.Time
	grant   *grant
}

func (t *Tenant) tooSoon() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.updated) < time.Minute
}

func (t *Tenant) Set(g *grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.updated = time.Now()
	t.grant = g
}

// Refresh takes the newer one.
func (t *Tenant) Refresh(fetch func() *grant) {
	if t.tooSoon() {
		return
	}
	g := fetch()
	t.mu.Lock()
	t.updated = time.Now()
	if g.serial > t.grant.serial {
		t.grant = g
	}
	t.mu.Unlock()
}

// Renew takes what has come, though there may be a newer one.
func (t *Tenant) Renew(fetch func() *grant) {
	if t.tooSoon() {
		return
	}
	g := fetch()
	t.mu.Lock()
	t.updated = time.Now()
	t.grant = g // want `check-then-act: t\.updated was checked`
	t.mu.Unlock()
}

// Job is started once.
type Job struct {
	mu      sync.Mutex
	started bool
}

func (j *Job) isStarted() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.started
}

// Start says to two callers that they have started it.
func (j *Job) Start() bool {
	if j.isStarted() {
		return false
	}
	j.mu.Lock()
	j.started = true // want `check-then-act: j\.started was checked`
	j.mu.Unlock()
	return true
}

// Mark says nothing.
func (j *Job) Mark() {
	if j.isStarted() {
		return
	}
	j.mu.Lock()
	j.started = true
	j.mu.Unlock()
}
