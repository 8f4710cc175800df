package writes

import (
	"maps"
	"sync"
)

// A Delta is an update of one origin; its numbers are consecutive.
type Delta struct {
	Origin string
	Seq    int
	Key    string
	By     int
}

// A Replica is given to others as a whole: who gets it asks for what comes after the clock.
type Replica struct {
	inbox chan Delta

	mu     sync.Mutex
	values map[string]int
	clock  map[string]int
}

func NewReplica() *Replica {
	r := &Replica{inbox: make(chan Delta), values: make(map[string]int), clock: make(map[string]int)}
	go r.run()
	return r
}

func (r *Replica) Deliver(d Delta) { r.inbox <- d }

func (r *Replica) run() {
	for d := range r.inbox {
		if !r.seen(d) {
			r.apply(d)
		}
	}
}

func (r *Replica) seen(d Delta) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return d.Seq <= r.clock[d.Origin]
}

func (r *Replica) apply(d Delta) {
	r.add(d.Key, d.By)
	r.advance(d.Origin, d.Seq) // want `split-write: r.values\[d.Key\] at line \d+ and r.clock\[d.Origin\] here are written apart`
}

func (r *Replica) add(key string, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[key] += by
}

func (r *Replica) advance(origin string, seq int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock[origin] = seq
}

func (r *Replica) Value(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.values[key]
}

// State is what another replica begins with.
func (r *Replica) State() (values, clock map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.values), maps.Clone(r.clock)
}

// A Mirror has a second way to write its values, so that they change without the clock as well.
type Mirror struct {
	inbox chan Delta

	mu     sync.Mutex
	values map[string]int
	clock  map[string]int
}

func NewMirror() *Mirror {
	m := &Mirror{inbox: make(chan Delta), values: make(map[string]int), clock: make(map[string]int)}
	go m.run()
	return m
}

func (m *Mirror) Deliver(d Delta) { m.inbox <- d }

func (m *Mirror) run() {
	for d := range m.inbox {
		m.Add(d.Key, d.By)
		m.advance(d.Origin, d.Seq)
	}
}

func (m *Mirror) Add(key string, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[key] += by
}

func (m *Mirror) advance(origin string, seq int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock[origin] = seq
}

func (m *Mirror) State() (values, clock map[string]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.values), maps.Clone(m.clock)
}
