package a

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Event tells the roster feed that a user came or went.
type Event struct {
	User   string
	Online bool
	At     time.Time
}

// Tracker knows who is in the chat. A user may hold several connections
// (phone, laptop); only the first one in and the last one out are announced.
type Tracker struct {
	mu     sync.RWMutex
	conns  map[string]int
	online map[string]time.Time

	events  chan Event
	dropped atomic.Uint64
}

func NewTracker(backlog int) *Tracker {
	return &Tracker{
		conns:  make(map[string]int),
		online: make(map[string]time.Time),
		events: make(chan Event, backlog),
	}
}

// Join is called once for every connection a user opens.
func (t *Tracker) Join(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns[user]++
	if t.conns[user] > 1 {
		return
	}
	now := time.Now()
	t.online[user] = now
	t.publish(Event{User: user, Online: true, At: now})
}

// Leave is called once for every connection that goes away.
func (t *Tracker) Leave(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conns[user]--; t.conns[user] > 0 {
		return
	}
	delete(t.conns, user)
	delete(t.online, user)
	t.publish(Event{User: user, At: time.Now()})
}

// Since reports when the user came online.
func (t *Tracker) Since(user string) (time.Time, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	at, ok := t.online[user]
	return at, ok
}

// Online lists the present users by name.
func (t *Tracker) Online() []string {
	t.mu.RLock()
	names := make([]string, 0, len(t.online))
	for u := range t.online {
		names = append(names, u)
	}
	t.mu.RUnlock()
	sort.Strings(names)
	return names
}

// Events is read by the roster feed.
func (t *Tracker) Events() <-chan Event { return t.events }

func (t *Tracker) publish(ev Event) {
	select {
	case t.events <- ev:
	default:
		t.dropped.Add(1)
	}
}
