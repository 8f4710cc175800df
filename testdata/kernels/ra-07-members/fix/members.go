// Package members tracks the liveness of cluster nodes.
package members

import (
	"sort"
	"sync"
	"time"
)

// State is what this node believes about a member.
type State int

const (
	Alive State = iota
	Suspect
	Dead
)

// Member is a snapshot of one node.
type Member struct {
	Name        string
	Addr        string
	State       State
	Incarnation uint64
	Since       time.Time
}

// List is the membership table. Gossip handlers, the prober and suspicion
// timers use it concurrently.
type List struct {
	mu      sync.RWMutex
	members map[string]*Member
	timeout time.Duration
}

// NewList returns an empty table. Suspected members are declared dead after
// timeout.
func NewList(timeout time.Duration) *List {
	return &List{members: make(map[string]*Member), timeout: timeout}
}

// HandleAlive processes an alive message. A message that carries a newer
// incarnation refutes a suspicion.
func (l *List) HandleAlive(name, addr string, inc uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.members[name]
	if !ok {
		l.members[name] = &Member{Name: name, Addr: addr, Incarnation: inc, Since: time.Now()}
		return
	}
	if inc <= m.Incarnation {
		return
	}
	m.Addr = addr
	m.Incarnation = inc
	m.State = Alive
	m.Since = time.Now()
}

// HandleSuspect processes a suspicion about name at incarnation inc.
func (l *List) HandleSuspect(name string, inc uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.members[name]
	if !ok || inc < m.Incarnation || m.State != Alive {
		return
	}
	m.Incarnation = inc
	m.State = Suspect
	m.Since = time.Now()
	time.AfterFunc(l.timeout, func() { l.suspicionExpired(name, inc) })
}

func (l *List) suspicionExpired(name string, inc uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.members[name]
	if !ok || m.State != Suspect || m.Incarnation != inc {
		return
	}
	m.State = Dead
	m.Since = time.Now()
}

// Lookup returns what is known about name.
func (l *List) Lookup(name string) (Member, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	m, ok := l.members[name]
	if !ok {
		return Member{}, false
	}
	return *m, true
}

// Reachable returns the members that are not dead, sorted by name.
func (l *List) Reachable() []Member {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []Member
	for _, m := range l.members {
		if m.State != Dead {
			out = append(out, *m)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Forget removes members that have been dead for longer than age.
func (l *List) Forget(age time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, m := range l.members {
		if m.State == Dead && time.Since(m.Since) > age {
			delete(l.members, name)
		}
	}
}
