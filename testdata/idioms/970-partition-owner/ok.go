// Package sessions groups the events of a partition into sessions: a session of
// a key is over when the key has been silent for a while.
package sessions

import (
	"sync"
	"time"
)

// Event is one input record.
type Event struct {
	Key  string
	Time time.Time
}

// Session is a run of events of one key.
type Session struct {
	Key         string
	First, Last time.Time
	Events      int
}

// table holds the open sessions. It can be read from anywhere.
type table struct {
	mu sync.RWMutex
	m  map[string]Session
}

func (t *table) get(key string) (Session, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s, ok := t.m[key]
	return s, ok
}

func (t *table) put(s Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[s.Key] = s
}

func (t *table) remove(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, key)
}

func (t *table) silentSince(limit time.Time) []Session {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []Session
	for _, s := range t.m {
		if s.Last.Before(limit) {
			out = append(out, s)
		}
	}
	return out
}

// Partition processes the events of one partition, in the goroutine that New
// starts. Everything that changes the table happens there.
type Partition struct {
	in    chan Event
	out   chan<- Session
	gap   time.Duration
	open  table
	ended chan struct{}
}

// New starts a partition that writes finished sessions to out.
func New(gap time.Duration, out chan<- Session) *Partition {
	p := &Partition{in: make(chan Event, 64), out: out, gap: gap, ended: make(chan struct{})}
	p.open.m = make(map[string]Session)
	go p.run()
	return p
}

// In takes the events. Closing it ends the partition.
func (p *Partition) In() chan<- Event { return p.in }

// Ended is closed when all sessions have been written.
func (p *Partition) Ended() <-chan struct{} { return p.ended }

// Lookup returns the open session of a key, for the status page.
func (p *Partition) Lookup(key string) (Session, bool) { return p.open.get(key) }

func (p *Partition) run() {
	defer close(p.ended)
	tick := time.NewTicker(p.gap / 2)
	defer tick.Stop()
	var high time.Time // event time that has been reached
	for {
		select {
		case ev, ok := <-p.in:
			if !ok {
				p.expire(high.Add(time.Nanosecond))
				return
			}
			if ev.Time.After(high) {
				high = ev.Time
			}
			p.observe(ev)
		case <-tick.C:
			p.expire(high.Add(-p.gap))
		}
	}
}

func (p *Partition) observe(ev Event) {
	s, ok := p.open.get(ev.Key)
	if ok && ev.Time.Sub(s.Last) > p.gap {
		p.out <- s
		ok = false
	}
	if !ok {
		s = Session{Key: ev.Key, First: ev.Time, Last: ev.Time}
	}
	s.Events++
	if ev.Time.After(s.Last) {
		s.Last = ev.Time
	}
	if ev.Time.Before(s.First) {
		s.First = ev.Time
	}
	p.open.put(s)
}

func (p *Partition) expire(limit time.Time) {
	for _, s := range p.open.silentSince(limit) {
		p.out <- s
		p.open.remove(s.Key)
	}
}
