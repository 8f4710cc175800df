// Package ok tries to get failed members back.
package ok

import (
	"math/rand"
	"net"
	"sync"
	"time"
)

// Status of a member.
type Status int

// The states.
const (
	StatusAlive Status = iota
	StatusFailed
	StatusLeft
)

type member struct {
	name   string
	addr   net.IP
	port   int
	status Status
	since  time.Time
}

// Joiner contacts an address; members it finds are reported to Seen.
type Joiner interface {
	Join(addrs []string) (int, error)
}

// Pool is the list of members.
type Pool struct {
	joiner Joiner

	mu      sync.RWMutex
	members map[string]*member
	failed  []*member
	left    []*member

	stop chan struct{}
}

// NewPool returns an empty pool.
func NewPool(j Joiner) *Pool {
	return &Pool{joiner: j, members: make(map[string]*member), stop: make(chan struct{})}
}

// Seen is called when a member is seen.
func (p *Pool) Seen(name string, addr net.IP, port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.members[name]
	if m == nil {
		m = &member{name: name}
		p.members[name] = m
	}
	old := m.status
	m.addr, m.port, m.status = addr, port, StatusAlive
	switch old {
	case StatusFailed:
		p.failed = remove(p.failed, name)
	case StatusLeft:
		p.left = remove(p.left, name)
	}
}

// Lost is called when a member does not answer any more.
func (p *Pool) Lost(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.members[name]
	if m == nil || m.status != StatusAlive {
		return
	}
	m.status, m.since = StatusFailed, time.Now()
	p.failed = append(p.failed, m)
}

// Gone is called when a member says goodbye.
func (p *Pool) Gone(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.members[name]
	if m == nil || m.status == StatusLeft {
		return
	}
	if m.status == StatusFailed {
		p.failed = remove(p.failed, name)
	}
	m.status, m.since = StatusLeft, time.Now()
	p.left = append(p.left, m)
}

func remove(ms []*member, name string) []*member {
	for i, m := range ms {
		if m.name == name {
			ms[i] = ms[len(ms)-1]
			ms[len(ms)-1] = nil
			return ms[:len(ms)-1]
		}
	}
	return ms
}

// Run reconnects and reaps until Stop.
func (p *Pool) Run(interval, keep time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			p.retryOne()
			p.reap(keep)
		case <-p.stop:
			return
		}
	}
}

func (p *Pool) reap(keep time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.failed = p.prune(p.failed, now, keep)
	p.left = p.prune(p.left, now, keep)
}

// Lock held.
func (p *Pool) prune(ms []*member, now time.Time, keep time.Duration) []*member {
	var kept []*member
	for _, m := range ms {
		if now.Sub(m.since) <= keep {
			kept = append(kept, m)
			continue
		}
		delete(p.members, m.name)
	}
	return kept
}

func (p *Pool) retryOne() {
	p.mu.RLock()
	n := len(p.failed)
	if n == 0 {
		p.mu.RUnlock()
		return
	}
	alive := len(p.members) - n - len(p.left)
	if alive == 0 {
		alive = 1
	}
	if rand.Float32() > float32(n)/float32(alive) {
		p.mu.RUnlock()
		return
	}
	m := p.failed[rand.Intn(n)]
	addr := net.UDPAddr{IP: m.addr, Port: m.port}
	p.mu.RUnlock()

	p.joiner.Join([]string{addr.String()})
}

// Counts returns the numbers of members by status.
func (p *Pool) Counts() (alive, failed, left int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	failed, left = len(p.failed), len(p.left)
	return len(p.members) - failed - left, failed, left
}

// Stop ends Run; it is called once.
func (p *Pool) Stop() { close(p.stop) }
