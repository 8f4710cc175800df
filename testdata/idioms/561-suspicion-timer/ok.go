// Package ok suspects members that do not answer and buries them later.
package ok

import (
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
	incarnation uint32
	status      status
	change      uint64 // counts status changes
}

// Members is the table of known members.
type Members struct {
	timeout time.Duration
	onDead  func(name string)

	mu    sync.Mutex
	table map[string]*member
}

// New returns an empty table.
func New(timeout time.Duration, onDead func(string)) *Members {
	return &Members{timeout: timeout, onDead: onDead, table: make(map[string]*member)}
}

func (m *member) set(s status) {
	m.status = s
	m.change++
}

// Alive handles the news, or the refutation, that a member is alive.
func (ms *Members) Alive(name string, incarnation uint32) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.table[name]
	if m == nil {
		m = &member{}
		ms.table[name] = m
	} else if incarnation <= m.incarnation {
		return
	}
	m.incarnation = incarnation
	m.set(alive)
}

// Suspect marks a member and gives it some time to refute.
func (ms *Members) Suspect(name string, incarnation uint32) {
	ms.mu.Lock()
	m := ms.table[name]
	if m == nil || m.status != alive || incarnation < m.incarnation {
		ms.mu.Unlock()
		return
	}
	m.incarnation = incarnation
	m.set(suspect)
	change := m.change
	ms.mu.Unlock()

	time.AfterFunc(ms.timeout, func() { ms.bury(name, change) })
}

// bury declares a member dead if nothing happened to it since change.
func (ms *Members) bury(name string, change uint64) {
	ms.mu.Lock()
	m := ms.table[name]
	timeout := m != nil && m.status == suspect && m.change == change
	if timeout {
		m.set(dead)
	}
	ms.mu.Unlock()
	if timeout {
		ms.onDead(name)
	}
}

// Alives returns the number of members that are not dead.
func (ms *Members) Alives() (n int) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, m := range ms.table {
		if m.status != dead {
			n++
		}
	}
	return n
}
