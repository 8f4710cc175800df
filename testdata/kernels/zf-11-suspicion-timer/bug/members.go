// Package members keeps the member list of a gossip cluster. Packets of other
// nodes are handled on several goroutines; suspicions end by timers.
package members

import (
	"sort"
	"time"
)

// Status of a member, as this node sees it.
type Status int

// Statuses of a member.
const (
	Alive Status = iota
	Suspect
	Dead
)

// Update is a piece of gossip about a member. The incarnation is a number
// that only the member itself raises, to refute what others say about it.
type Update struct {
	Name        string
	Addr        string
	Status      Status
	Incarnation uint64
}

type member struct {
	Update
	suspicion *time.Timer // while it is suspect
}

// List is the member list. It is safe for concurrent use.
type List struct {
	patience time.Duration

	token   chan struct{} // holds one value while the list is free
	members map[string]*member
	gossip  []Update // waits to be sent to other nodes
}

// New returns an empty list. A suspect that does not refute in the given time
// is declared dead.
func New(patience time.Duration) *List {
	l := &List{patience: patience, token: make(chan struct{}, 1), members: make(map[string]*member)}
	l.token <- struct{}{}
	return l
}

func (l *List) lock()   { <-l.token }
func (l *List) unlock() { l.token <- struct{}{} }

// set changes a member and queues gossip about it. The list is locked.
func (l *List) set(m *member, s Status, incarnation uint64) {
	if m.suspicion != nil {
		m.suspicion.Stop()
		m.suspicion = nil
	}
	m.Status, m.Incarnation = s, incarnation
	l.gossip = append(l.gossip, m.Update)
}

// Handle takes gossip of another node into account.
func (l *List) Handle(u Update) {
	switch u.Status {
	case Alive:
		l.alive(u)
	case Suspect:
		l.suspect(u.Name, u.Incarnation)
	case Dead:
		l.dead(u.Name, u.Incarnation)
	}
}

func (l *List) alive(u Update) {
	l.lock()
	defer l.unlock()
	m, ok := l.members[u.Name]
	if !ok {
		m = &member{Update: Update{Name: u.Name}}
		l.members[u.Name] = m
	} else if u.Incarnation <= m.Incarnation {
		return
	}
	m.Addr = u.Addr
	l.set(m, Alive, u.Incarnation)
}

func (l *List) suspect(name string, incarnation uint64) {
	l.lock()
	defer l.unlock()
	m, ok := l.members[name]
	if !ok || m.Status != Alive || incarnation < m.Incarnation {
		return
	}
	l.set(m, Suspect, incarnation)
	m.suspicion = time.AfterFunc(l.patience, func() { l.giveUp(name, incarnation) })
}

func (l *List) dead(name string, incarnation uint64) {
	l.lock()
	defer l.unlock()
	m, ok := l.members[name]
	if !ok || m.Status == Dead || incarnation < m.Incarnation {
		return
	}
	l.set(m, Dead, incarnation)
}

// ProbeFailed is called by the failure detector when a member does not answer.
func (l *List) ProbeFailed(name string) {
	u, ok := l.Get(name)
	if !ok {
		return
	}
	l.suspect(name, u.Incarnation)
}

// suspected reports whether a member is still under a suspicion.
func (l *List) suspected(name string, incarnation uint64) bool {
	u, ok := l.Get(name)
	return ok && u.Status == Suspect && u.Incarnation == incarnation
}

// bury declares a member dead.
func (l *List) bury(name string) {
	l.lock()
	defer l.unlock()
	if m, ok := l.members[name]; ok && m.Status != Dead {
		l.set(m, Dead, m.Incarnation)
	}
}

// giveUp ends a suspicion that was not refuted.
func (l *List) giveUp(name string, incarnation uint64) {
	if l.suspected(name, incarnation) {
		l.bury(name)
	}
}

// Get returns what is known about a member.
func (l *List) Get(name string) (Update, bool) {
	l.lock()
	defer l.unlock()
	m, ok := l.members[name]
	if !ok {
		return Update{}, false
	}
	return m.Update, true
}

// Addrs returns the addresses of the members that are not dead, in order.
func (l *List) Addrs() []string {
	l.lock()
	defer l.unlock()
	var addrs []string
	for _, m := range l.members {
		if m.Status != Dead {
			addrs = append(addrs, m.Addr)
		}
	}
	sort.Strings(addrs)
	return addrs
}

// TakeGossip returns up to n updates for the next packet.
func (l *List) TakeGossip(n int) []Update {
	l.lock()
	defer l.unlock()
	n = min(n, len(l.gossip))
	out := append([]Update(nil), l.gossip[:n]...)
	l.gossip = l.gossip[n:]
	return out
}
