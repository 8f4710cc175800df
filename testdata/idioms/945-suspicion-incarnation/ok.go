// Package gossip detects failed members in the manner of SWIM.
package gossip

import (
	"context"
	"sync"
	"time"
)

// Status is what a member is believed to be.
type Status int

// Statuses.
const (
	Alive Status = iota
	Suspect
	Dead
)

// Pinger probes a member, directly or through others.
type Pinger interface {
	Ping(ctx context.Context, name string) error
}

// Event tells the application about a change.
type Event struct {
	Name   string
	Status Status
}

type member struct {
	status      Status
	incarnation uint64 // only the member itself raises it
}

// List is the membership list. The gossip handlers, the probe loop and the
// suspicion timers use it concurrently. Members are never taken out.
type List struct {
	pinger  Pinger
	timeout time.Duration

	mu      sync.Mutex
	members map[string]*member
	events  []Event
	order   []string
	cursor  int
}

// NewList returns an empty list.
func NewList(p Pinger, timeout time.Duration) *List {
	return &List{pinger: p, timeout: timeout, members: make(map[string]*member)}
}

// Run probes one member per interval until ctx ends.
func (l *List) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			go l.probe(ctx)
		}
	}
}

// next picks the member to probe and returns the incarnation it is known by.
func (l *List) next() (name string, incarnation uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range l.order {
		name = l.order[l.cursor%len(l.order)]
		l.cursor++
		if m := l.members[name]; m.status != Dead {
			return name, m.incarnation, true
		}
	}
	return "", 0, false
}

func (l *List) probe(ctx context.Context) {
	name, incarnation, ok := l.next()
	if !ok {
		return
	}
	if err := l.pinger.Ping(ctx, name); err != nil && ctx.Err() == nil {
		l.HandleSuspect(name, incarnation)
	}
}

// set changes the status of a member. The caller holds l.mu.
func (l *List) set(name string, m *member, s Status) {
	if m.status != s {
		m.status = s
		l.events = append(l.events, Event{Name: name, Status: s})
	}
}

// HandleAlive takes over that a member claims to be alive. A member refutes a
// suspicion, or comes back, with a higher incarnation.
func (l *List) HandleAlive(name string, incarnation uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.members[name]
	if !ok {
		l.members[name] = &member{incarnation: incarnation}
		l.order = append(l.order, name)
		l.events = append(l.events, Event{Name: name, Status: Alive})
		return
	}
	if incarnation > m.incarnation {
		m.incarnation = incarnation
		l.set(name, m, Alive)
	}
}

// HandleSuspect takes over that somebody failed to reach a member. Unless it
// refutes, it is declared dead after the timeout.
func (l *List) HandleSuspect(name string, incarnation uint64) {
	l.mu.Lock()
	m, ok := l.members[name]
	if !ok || m.status == Dead || incarnation < m.incarnation ||
		m.status == Suspect && incarnation == m.incarnation {
		l.mu.Unlock()
		return
	}
	m.incarnation = incarnation
	l.set(name, m, Suspect)
	l.mu.Unlock()
	time.AfterFunc(l.timeout, func() { l.HandleDead(name, incarnation) })
}

// HandleDead takes over that a member is gone.
func (l *List) HandleDead(name string, incarnation uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.members[name]
	if !ok || incarnation < m.incarnation {
		return
	}
	m.incarnation = incarnation
	l.set(name, m, Dead)
}

// Drain returns the events since the last call.
func (l *List) Drain() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	evs := l.events
	l.events = nil
	return evs
}
