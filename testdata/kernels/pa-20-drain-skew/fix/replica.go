package placement

import (
	"fmt"
	"sync"
	"time"
)

// State of a replica.
type State uint8

// The states.
const (
	Serving State = iota
	Draining
	Drained
	Down
)

func (s State) String() string {
	return [...]string{"serving", "draining", "drained", "down"}[s]
}

// Replica is one copy of a range.
type Replica struct {
	ID   string
	Host string

	mu       sync.Mutex
	state    State
	lastSeen time.Time
}

func (r *Replica) serving() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == Serving
}

func (r *Replica) seen(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastSeen = now
	if r.state == Down {
		r.state = Serving
	}
}

func (r *Replica) expire(now time.Time, timeout time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == Serving && now.Sub(r.lastSeen) > timeout {
		r.state = Down
	}
}

func (r *Replica) beginDrain() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != Serving {
		return fmt.Errorf("placement: replica %s is %v", r.ID, r.state)
	}
	r.state = Draining
	return nil
}

func (r *Replica) endDrain(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == Draining {
		r.state = s
	}
}
