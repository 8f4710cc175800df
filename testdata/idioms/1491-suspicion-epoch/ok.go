package gossipstate

import (
	"sync"
	"time"
)

type liveness int

const (
	alive liveness = iota
	suspected
	dead
)

type peerState struct {
	name   string
	incarn uint32
	state  liveness
	epoch  uint64 // of the last change of state
}

type deadNotice struct {
	name   string
	incarn uint32
	from   string
}

// Roster is the view of the cluster. Messages are handled by many goroutines.
type Roster struct {
	self    string
	timeout time.Duration
	notify  chan deadNotice

	mu     sync.Mutex
	epoch  uint64
	peers  map[string]*peerState
	timers map[string]*time.Timer
}

// NewRoster returns an empty roster.
func NewRoster(self string, timeout time.Duration) *Roster {
	return &Roster{
		self:    self,
		timeout: timeout,
		notify:  make(chan deadNotice, 128),
		peers:   make(map[string]*peerState),
		timers:  make(map[string]*time.Timer),
	}
}

// Failures delivers the peers that were declared dead.
func (r *Roster) Failures() <-chan deadNotice { return r.notify }

func (r *Roster) changeLocked(p *peerState, s liveness, incarn uint32) uint64 {
	r.epoch++
	p.state, p.incarn, p.epoch = s, incarn, r.epoch
	return p.epoch
}

// HandleAlive is called for a peer that claims to be alive.
func (r *Roster) HandleAlive(name string, incarn uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.peers[name]
	if !ok {
		p = &peerState{name: name}
		r.peers[name] = p
	} else if incarn <= p.incarn {
		return
	}
	if t, ok := r.timers[name]; ok {
		t.Stop()
		delete(r.timers, name)
	}
	r.changeLocked(p, alive, incarn)
}

// HandleSuspect is called when a peer could not be reached.
func (r *Roster) HandleSuspect(name string, incarn uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.peers[name]
	if !ok || incarn < p.incarn || p.state != alive {
		return
	}
	epoch := r.changeLocked(p, suspected, incarn)
	r.timers[name] = time.AfterFunc(r.timeout, func() { r.suspicionOver(name, epoch) })
}

func (r *Roster) suspicionOver(name string, epoch uint64) {
	r.mu.Lock()
	p, ok := r.peers[name]
	over := ok && p.state == suspected && p.epoch == epoch
	var d deadNotice
	if over {
		d = deadNotice{name: name, incarn: p.incarn, from: r.self}
	}
	r.mu.Unlock()

	if over {
		r.HandleDead(d)
	}
}

// HandleDead is called for a peer that is said to be dead.
func (r *Roster) HandleDead(d deadNotice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.peers[d.name]
	if !ok || d.incarn < p.incarn || p.state == dead {
		return
	}
	if t, ok := r.timers[d.name]; ok {
		t.Stop()
		delete(r.timers, d.name)
	}
	r.changeLocked(p, dead, d.incarn)
	select {
	case r.notify <- d:
	default:
	}
}

// Alive lists the peers that are not dead.
func (r *Roster) Alive() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for n, p := range r.peers {
		if p.state != dead {
			names = append(names, n)
		}
	}
	return names
}
