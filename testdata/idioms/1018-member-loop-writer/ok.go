// Package gossip keeps the list of members as the gossip protocol reports it.
package gossip

import (
	"sort"
	"sync"
	"time"
)

// Status of a member.
type Status int

const (
	Alive Status = iota
	Suspect
	Dead
)

// Member is what is known about one node.
type Member struct {
	Name        string
	Addr        string
	Incarnation uint64
	Status      Status
	Since       time.Time
}

// Update comes from the wire.
type Update struct {
	Name        string
	Addr        string
	Incarnation uint64
	Status      Status
}

// List is the view of one node. The loop goroutine is the only one that
// changes it; everybody may read.
type List struct {
	suspectAfter time.Duration
	updates      chan Update
	stop         chan struct{}
	done         chan struct{}

	mu      sync.RWMutex
	members map[string]Member
}

// New starts the loop.
func New(suspectAfter time.Duration) *List {
	l := &List{
		suspectAfter: suspectAfter,
		updates:      make(chan Update, 128),
		stop:         make(chan struct{}),
		done:         make(chan struct{}),
		members:      make(map[string]Member),
	}
	go l.loop()
	return l
}

// Stop ends the loop and waits for it. It must be called once.
func (l *List) Stop() {
	close(l.stop)
	<-l.done
}

// Deliver hands an update to the loop. It is dropped after Stop.
func (l *List) Deliver(u Update) {
	select {
	case l.updates <- u:
	case <-l.done:
	}
}

func (l *List) loop() {
	defer close(l.done)
	t := time.NewTicker(l.suspectAfter)
	defer t.Stop()
	for {
		select {
		case u := <-l.updates:
			l.apply(u)
		case now := <-t.C:
			l.bury(now)
		case <-l.stop:
			return
		}
	}
}

func (l *List) apply(u Update) {
	m, known := l.Get(u.Name)
	if known && !supersedes(u, m) {
		return
	}
	m.Name, m.Incarnation = u.Name, u.Incarnation
	if u.Addr != "" {
		m.Addr = u.Addr
	}
	if !known || m.Status != u.Status {
		m.Since = time.Now()
	}
	m.Status = u.Status
	l.put(m)
}

func supersedes(u Update, m Member) bool {
	if u.Incarnation != m.Incarnation {
		return u.Incarnation > m.Incarnation
	}
	return u.Status > m.Status
}

// bury declares members dead that were suspected for too long.
func (l *List) bury(now time.Time) {
	for _, m := range l.Members() {
		if m.Status == Suspect && now.Sub(m.Since) > l.suspectAfter {
			m.Status, m.Since = Dead, now
			l.put(m)
		}
	}
}

func (l *List) put(m Member) {
	l.mu.Lock()
	l.members[m.Name] = m
	l.mu.Unlock()
}

// Get returns one member.
func (l *List) Get(name string) (Member, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	m, ok := l.members[name]
	return m, ok
}

// Members returns all members by name.
func (l *List) Members() []Member {
	l.mu.RLock()
	out := make([]Member, 0, len(l.members))
	for _, m := range l.members {
		out = append(out, m)
	}
	l.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
