// Package fix keeps a roster of peers and suspects those that do not answer.
package fix

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type status int

const (
	up status = iota
	doubted
	down
)

// Report is a message about a peer.
type Report struct {
	Peer  string
	Epoch uint32
	From  string
}

type peer struct {
	name   string
	addr   string
	epoch  uint32
	status status
	since  time.Time
}

// doubt is a timer that runs down faster with each new accuser.
type doubt struct {
	accusers map[string]struct{}
	need     int
	step     time.Duration
	deadline time.Time
	timer    *time.Timer
}

func newDoubt(from string, need int, limit time.Duration, fn func()) *doubt {
	return &doubt{
		accusers: map[string]struct{}{from: {}},
		need:     need,
		step:     limit / time.Duration(need+1),
		deadline: time.Now().Add(limit),
		timer:    time.AfterFunc(limit, fn),
	}
}

func (d *doubt) confirm(from string) bool {
	if _, ok := d.accusers[from]; ok || len(d.accusers) > d.need {
		return false
	}
	d.accusers[from] = struct{}{}
	if d.timer.Stop() {
		d.deadline = d.deadline.Add(-d.step)
		d.timer.Reset(max(0, time.Until(d.deadline)))
	}
	return true
}

// Roster knows the peers.
type Roster struct {
	self  string
	limit time.Duration
	send  func(kind string, r Report)

	mu     sync.RWMutex
	peers  map[string]*peer
	doubts map[string]*doubt

	alive atomic.Int32
}

// NewRoster returns an empty roster.
func NewRoster(self string, limit time.Duration, send func(string, Report)) *Roster {
	return &Roster{
		self:   self,
		limit:  limit,
		send:   send,
		peers:  make(map[string]*peer),
		doubts: make(map[string]*doubt),
	}
}

// Up returns the estimated number of peers that answer.
func (r *Roster) Up() int { return int(r.alive.Load()) }

// Names returns all peers that are not down.
func (r *Roster) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(r.peers))
	for n, p := range r.peers {
		if p.status != down {
			names = append(names, n)
		}
	}
	return names
}

// Alive handles the message that a peer answers.
func (r *Roster) Alive(m Report, addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.peers[m.Peer]
	if !ok {
		p = &peer{name: m.Peer, status: down}
		r.peers[m.Peer] = p
	} else if m.Epoch <= p.epoch {
		return
	}
	if d, ok := r.doubts[m.Peer]; ok {
		d.timer.Stop()
		delete(r.doubts, m.Peer)
	}
	p.epoch = m.Epoch
	p.addr = addr
	if p.status == down {
		r.alive.Add(1)
	}
	if p.status != up {
		p.status = up
		p.since = time.Now()
	}
	r.send("alive", m)
}

// Suspect handles the message that a peer did not answer.
func (r *Roster) Suspect(m Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.peers[m.Peer]
	if !ok || m.Epoch < p.epoch {
		return
	}
	if d, ok := r.doubts[m.Peer]; ok {
		if d.confirm(m.From) {
			r.send("suspect", m)
		}
		return
	}
	if p.status != up {
		return
	}
	r.send("suspect", m)

	p.epoch = m.Epoch
	p.status = doubted
	since := time.Now()
	p.since = since
	r.doubts[m.Peer] = newDoubt(m.From, 3, r.limit, func() {
		r.mu.Lock()
		p, ok := r.peers[m.Peer]
		expired := ok && p.status == doubted && p.since.Equal(since)
		r.mu.Unlock()
		if expired {
			log.Printf("marking %s as down", m.Peer)
			r.Dead(Report{Peer: m.Peer, Epoch: m.Epoch, From: r.self})
		}
	})
}

// Dead handles the message that a peer has failed.
func (r *Roster) Dead(m Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.peers[m.Peer]
	if !ok || m.Epoch < p.epoch {
		return
	}
	if d, ok := r.doubts[m.Peer]; ok {
		d.timer.Stop()
		delete(r.doubts, m.Peer)
	}
	if p.status == down {
		return
	}
	p.epoch = m.Epoch
	p.status = down
	p.since = time.Now()
	r.alive.Add(-1)
	r.send("dead", m)
}
