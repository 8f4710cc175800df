// Package crew keeps track of which members of a crew can be reached.
package crew

import (
	"sync"
	"time"
)

// State of a member.
type State int

const (
	Present State = iota
	Doubted
	Missing
)

// member is what is known of a member. Its number rises when the member itself
// says that it is there; news with a lower number are old.
type member struct {
	name    string
	number  uint64
	state   State
	changed time.Time
}

// missing is the news that a member cannot be reached.
type missing struct {
	name   string
	number uint64
	from   string
}

// Crew is safe for concurrent use.
type Crew struct {
	self    string
	doubt   time.Duration
	onEvent func(name string, s State)

	mu      sync.Mutex
	members map[string]*member
	timers  map[string]*time.Timer
	closed  bool
}

// New returns a crew. A doubted member is missing after the time doubt unless
// it is heard. The function onEvent is called with the lock held.
func New(self string, doubt time.Duration, onEvent func(string, State)) *Crew {
	return &Crew{
		self:    self,
		doubt:   doubt,
		onEvent: onEvent,
		members: make(map[string]*member),
		timers:  make(map[string]*time.Timer),
	}
}

// set changes the state of a member. The lock is held.
func (c *Crew) set(m *member, s State) {
	m.state = s
	m.changed = time.Now()
	c.onEvent(m.name, s)
}

// stopTimer ends the doubt about a member. The lock is held.
func (c *Crew) stopTimer(name string) {
	if t, ok := c.timers[name]; ok {
		t.Stop()
		delete(c.timers, name)
	}
}

// Heard is called when a member has said that it is present.
func (c *Crew) Heard(name string, number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	m, ok := c.members[name]
	if !ok {
		m = &member{name: name, number: number}
		c.members[name] = m
		c.set(m, Present)
		return
	}
	if number <= m.number {
		return
	}
	m.number = number
	c.stopTimer(name)
	if m.state != Present {
		c.set(m, Present)
	}
}

// Doubt is called when a member has not answered.
func (c *Crew) Doubt(name string, number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.members[name]
	if !ok || c.closed || number < m.number || m.state != Present {
		return
	}
	m.number = number
	c.set(m, Doubted)

	changed := m.changed
	c.timers[name] = time.AfterFunc(c.doubt, func() {
		var news *missing

		c.mu.Lock()
		m, ok := c.members[name]
		if ok && m.state == Doubted && m.changed.Equal(changed) {
			news = &missing{name: name, number: m.number, from: c.self}
		}
		c.mu.Unlock()

		if news != nil {
			c.lost(news)
		}
	})
}

// Lost is called with the news of another member.
func (c *Crew) Lost(name string, number uint64, from string) {
	c.lost(&missing{name: name, number: number, from: from})
}

// lost marks a member as missing unless the news are old. A member that has
// been heard since has a higher number.
func (c *Crew) lost(n *missing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.members[n.name]
	if !ok || c.closed {
		return
	}
	if n.number < m.number {
		return
	}
	c.stopTimer(n.name)
	if m.state == Missing {
		return
	}
	m.number = n.number
	c.set(m, Missing)
}

// Present returns the names of the members that are not missing.
func (c *Crew) Present() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for name, m := range c.members {
		if m.state != Missing {
			names = append(names, name)
		}
	}
	return names
}

// Close ends all timers.
func (c *Crew) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for name := range c.timers {
		c.stopTimer(name)
	}
}
