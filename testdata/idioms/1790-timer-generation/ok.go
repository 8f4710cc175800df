// Package a tracks which users of a chat are active.
package a

import (
	"sync"
	"time"
)

// Event says that a user has come or gone.
type Event struct {
	User   string
	Active bool
}

type entry struct {
	turn  uint64 // the mark that armed the timer
	timer *time.Timer
}

// Presence takes a user for active until nothing has been heard from them for
// a while.
type Presence struct {
	idle time.Duration

	mu     sync.Mutex
	turn   uint64 // counts the marks of all users
	users  map[string]*entry
	events []Event
}

// NewPresence returns a tracker with the given idle time.
func NewPresence(idle time.Duration) *Presence {
	return &Presence{idle: idle, users: make(map[string]*entry)}
}

// Mark notes a sign of life of user.
func (p *Presence) Mark(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.users[user]
	if e == nil {
		e = &entry{}
		p.users[user] = e
		p.events = append(p.events, Event{User: user, Active: true})
	} else {
		e.timer.Stop()
	}
	p.turn++
	turn := p.turn
	e.turn = turn
	e.timer = time.AfterFunc(p.idle, func() { p.lapse(user, turn) })
}

// lapse runs when the timer armed at the given turn has gone off.
func (p *Presence) lapse(user string, turn uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.users[user]
	if e == nil || e.turn != turn {
		return
	}
	p.removeLocked(user)
}

// Leave makes user inactive at once.
func (p *Presence) Leave(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.users[user]
	if e == nil {
		return
	}
	e.timer.Stop()
	p.removeLocked(user)
}

func (p *Presence) removeLocked(user string) {
	delete(p.users, user)
	p.events = append(p.events, Event{User: user, Active: false})
}

// Active reports whether user is active.
func (p *Presence) Active(user string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.users[user] != nil
}

// Drain returns the events since the last call, in order.
func (p *Presence) Drain() []Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.events
	p.events = nil
	return out
}
