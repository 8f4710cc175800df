// Package gossip spreads the states of cluster members.
package gossip

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// State of a member; within an incarnation the greater state wins.
type State int

const (
	Alive State = iota
	Suspect
	Dead
)

// Rumor is what one member says about another.
type Rumor struct {
	Node        string
	Incarnation uint64
	State       State
}

// newer reports whether r replaces old.
func (r Rumor) newer(old Rumor) bool {
	if r.Incarnation != old.Incarnation {
		return r.Incarnation > old.Incarnation
	}
	return r.State > old.State
}

// Sender delivers rumors; losses are allowed.
type Sender interface {
	Send(to string, r Rumor)
}

// Agent is the gossip of one node.
type Agent struct {
	self   string
	fanout int
	send   Sender

	mu    sync.RWMutex
	table map[string]Rumor
}

// New returns an agent that knows itself and the seeds.
func New(self string, fanout int, s Sender, seeds ...string) *Agent {
	a := &Agent{self: self, fanout: fanout, send: s, table: make(map[string]Rumor)}
	for _, n := range append(seeds, self) {
		a.table[n] = Rumor{Node: n}
	}
	return a
}

func (a *Agent) known(node string) (Rumor, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	r, ok := a.table[node]
	return r, ok
}

func (a *Agent) merge(r Rumor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.table[r.Node]; !ok || r.newer(old) {
		a.table[r.Node] = r
	}
}

// refute answers a rumor about this node with a higher incarnation.
func (a *Agent) refute(r Rumor) Rumor {
	a.mu.Lock()
	defer a.mu.Unlock()
	me := a.table[a.self]
	if r.Incarnation >= me.Incarnation {
		me.Incarnation = r.Incarnation + 1
		a.table[a.self] = me
	}
	return me
}

// Handle takes a rumor from the network.
func (a *Agent) Handle(r Rumor) {
	if r.Node == a.self {
		if r.State != Alive {
			a.spread(a.refute(r))
		}
		return
	}
	if old, ok := a.known(r.Node); ok && !r.newer(old) {
		return
	}
	a.merge(r)
	a.spread(r)
}

// peers picks some members that are not dead.
func (a *Agent) peers() []string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var out []string
	for n, r := range a.table {
		if n != a.self && r.State != Dead {
			out = append(out, n)
		}
	}
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(a.fanout, len(out))]
}

func (a *Agent) spread(r Rumor) {
	for _, p := range a.peers() {
		a.send.Send(p, r)
	}
}

// Run repeats what is known about this node until ctx ends; Handle runs on the network's goroutines.
func (a *Agent) Run(ctx context.Context, every time.Duration, in <-chan Rumor) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-in:
			go a.Handle(r)
		case <-tick.C:
			if me, ok := a.known(a.self); ok {
				a.spread(me)
			}
		}
	}
}
