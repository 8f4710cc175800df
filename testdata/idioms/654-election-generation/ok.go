// Package timeout starts an election when the leader has been silent.
package timeout

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Role of a node.
type Role string

const (
	Follower  Role = "follower"
	Candidate Role = "candidate"
	Leader    Role = "leader"
)

// Campaigner asks for votes in a term.
type Campaigner interface {
	RequestVotes(ctx context.Context, term uint64) (won bool, err error)
}

type state struct {
	role       Role
	term       uint64
	generation uint64 // raised by all that defers the election
}

// Monitor watches one group.
type Monitor struct {
	base time.Duration
	camp Campaigner

	mu sync.Mutex
	st state
}

// New returns a monitor of a follower.
func New(base time.Duration, c Campaigner) *Monitor {
	return &Monitor{base: base, camp: c, st: state{role: Follower}}
}

// Heartbeat notes a sign of life from the leader of a term.
func (m *Monitor) Heartbeat(term uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if term < m.st.term {
		return fmt.Errorf("timeout: heartbeat of term %d in term %d", term, m.st.term)
	}
	m.st.term = term
	m.st.role = Follower
	m.st.generation++
	return nil
}

func (m *Monitor) snapshot() state {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.st
}

// begin opens a term unless something happened since the generation was read.
func (m *Monitor) begin(generation uint64) (term uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.st.generation != generation || m.st.role == Leader {
		return 0, false
	}
	m.st.role = Candidate
	m.st.term++
	m.st.generation++
	return m.st.term, true
}

// lead becomes leader if the term of the campaign is still the present one.
func (m *Monitor) lead(term uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.st.term != term || m.st.role != Candidate {
		return false
	}
	m.st.role = Leader
	m.st.generation++
	return true
}

// Status returns role and term.
func (m *Monitor) Status() (Role, uint64) {
	st := m.snapshot()
	return st.role, st.term
}

// Run campaigns whenever a whole timeout goes by in silence, and calls led after each victory.
func (m *Monitor) Run(ctx context.Context, led func(term uint64)) {
	for {
		st := m.snapshot()
		wait := m.base + rand.N(m.base)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if st.role == Leader {
			continue
		}
		term, ok := m.begin(st.generation)
		if !ok {
			continue
		}
		cctx, cancel := context.WithTimeout(ctx, m.base)
		won, err := m.camp.RequestVotes(cctx, term)
		cancel()
		if err != nil || !won {
			continue
		}
		if m.lead(term) {
			led(term)
		}
	}
}
