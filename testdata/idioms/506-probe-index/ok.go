// Package ok probes the members of a cluster one after the other.
package ok

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"time"
)

// State of a member.
type State int

// The states.
const (
	Alive State = iota
	Suspect
	Dead
)

type member struct {
	Name  string
	Addr  string
	Inc   uint32
	State State
	since time.Time
}

func (m *member) dead() bool { return m.State == Dead }

// Pinger sends one ping and waits for the answer.
type Pinger interface {
	Ping(addr string, timeout time.Duration) bool
}

// Cluster is the list of members as this node sees it.
type Cluster struct {
	name     string
	interval time.Duration
	pinger   Pinger
	health   atomic.Int32

	mu      sync.RWMutex
	members []*member
	byName  map[string]*member

	cursor int // used by the step goroutine
	stop   chan struct{}
	done   chan struct{}
}

// New starts the step goroutine.
func New(name string, interval time.Duration, p Pinger) *Cluster {
	c := &Cluster{
		name:     name,
		interval: interval,
		pinger:   p,
		byName:   make(map[string]*member),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go c.run()
	return c
}

// Stop ends the probing; it is called once.
func (c *Cluster) Stop() {
	close(c.stop)
	<-c.done
}

func (c *Cluster) run() {
	defer close(c.done)
	t := time.NewTicker(c.interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.step()
		case <-c.stop:
			return
		}
	}
}

// Alive notes that a member has announced itself.
func (c *Cluster) Alive(name, addr string, inc uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.byName[name]
	if m == nil {
		m = &member{Name: name, Addr: addr, Inc: inc, since: time.Now()}
		c.byName[name] = m
		c.members = append(c.members, m)
		i := rand.Intn(len(c.members))
		last := len(c.members) - 1
		c.members[i], c.members[last] = c.members[last], c.members[i]
		return
	}
	if inc <= m.Inc {
		return
	}
	m.Addr, m.Inc = addr, inc
	if m.State != Alive {
		m.State, m.since = Alive, time.Now()
	}
}

func (c *Cluster) doubt(name string, inc uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.byName[name]
	if m == nil || inc < m.Inc || m.State != Alive {
		return
	}
	m.State, m.since = Suspect, time.Now()
}

// Expire turns old suspicions into deaths.
func (c *Cluster) Expire(age time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.State == Suspect && time.Since(m.since) > age {
			m.State, m.since = Dead, time.Now()
		}
	}
}

func (c *Cluster) shuffle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.members[:0]
	for _, m := range c.members {
		if m.dead() && time.Since(m.since) > 30*c.interval {
			delete(c.byName, m.Name)
			continue
		}
		kept = append(kept, m)
	}
	c.members = kept
	rand.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
}

func (c *Cluster) step() {
	checked := 0
	for {
		c.mu.RLock()
		if checked >= len(c.members) {
			c.mu.RUnlock()
			return
		}
		if c.cursor >= len(c.members) {
			c.mu.RUnlock()
			c.shuffle()
			c.cursor = 0
			checked++
			continue
		}
		m := *c.members[c.cursor]
		skip := m.Name == c.name || m.dead()
		c.mu.RUnlock()
		c.cursor++
		if skip {
			checked++
			continue
		}
		c.checkMember(&m)
		return
	}
}

func (c *Cluster) checkMember(m *member) {
	if c.pinger.Ping(m.Addr, c.interval/2) {
		if h := c.health.Load(); h > 0 {
			c.health.Store(h - 1)
		}
		return
	}
	c.health.Store(min(c.health.Load()+1, 8))
	c.doubt(m.Name, m.Inc)
}

// Health returns how unwell this node is.
func (c *Cluster) Health() int { return int(c.health.Load()) }
