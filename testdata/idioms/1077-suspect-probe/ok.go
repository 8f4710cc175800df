// Correct: Check decides on a copy and probes without the lock, but settle looks
// again under the lock: it acts only if the member is still there, still
// suspect, and still at the incarnation that was probed. A member which spoke
// up, was found up by another Check, or left and joined again in between has
// another incarnation, since whatever makes a member alive takes a new one from
// a counter that only goes up.
package suspectprobe

import (
	"context"
	"sync"
	"time"
)

type status int

const (
	alive status = iota
	suspect
	dead
)

type member struct {
	addr        string
	status      status
	incarnation uint64
	seen        time.Time
}

type target struct {
	name        string
	addr        string
	incarnation uint64
}

// Prober asks a member directly whether it is up.
type Prober interface {
	Ping(ctx context.Context, addr string) error
}

// Members keeps the state of the members of a cluster.
type Members struct {
	prober Prober

	mu      sync.RWMutex
	clock   uint64
	members map[string]*member
}

func New(p Prober) *Members {
	return &Members{prober: p, members: make(map[string]*member)}
}

// Heard takes note of a message from a member.
func (m *Members) Heard(name, addr string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mb, ok := m.members[name]
	if !ok {
		mb = &member{}
		m.members[name] = mb
	}
	m.clock++
	mb.addr = addr
	mb.status = alive
	mb.incarnation = m.clock
	mb.seen = time.Now()
}

// Leave removes a member that said goodbye.
func (m *Members) Leave(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.members, name)
}

// Suspect marks the members that were silent for longer than d.
func (m *Members) Suspect(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mb := range m.members {
		if mb.status == alive && time.Since(mb.seen) > d {
			mb.status = suspect
		}
	}
}

func (m *Members) suspects() []target {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []target
	for name, mb := range m.members {
		if mb.status == suspect {
			out = append(out, target{name: name, addr: mb.addr, incarnation: mb.incarnation})
		}
	}
	return out
}

func (m *Members) settle(t target, up bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	mb, ok := m.members[t.name]
	if !ok || mb.status != suspect || mb.incarnation != t.incarnation {
		return false
	}
	if up {
		m.clock++
		mb.status = alive
		mb.incarnation = m.clock
		mb.seen = time.Now()
		return false
	}
	mb.status = dead
	return true
}

// Check probes the suspects and returns the names of those found dead.
func (m *Members) Check(ctx context.Context) []string {
	var gone []string
	for _, t := range m.suspects() {
		err := m.prober.Ping(ctx, t.addr)
		if ctx.Err() != nil {
			return gone
		}
		if m.settle(t, err == nil) {
			gone = append(gone, t.name)
		}
	}
	return gone
}
