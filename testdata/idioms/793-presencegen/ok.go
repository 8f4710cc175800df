// Package presence tracks which users of a chat server are online.
package presence

import (
	"sort"
	"sync"
	"time"
)

// Event reports that a user came or went.
type Event struct {
	User   string
	Online bool
}

type session struct {
	gen   uint64
	seen  time.Time
	timer *time.Timer
}

// Tracker considers users online until they have been silent for a while.
type Tracker struct {
	idle   time.Duration
	events chan Event

	mu       sync.Mutex
	seq      uint64
	dropped  uint64
	sessions map[string]*session
}

// NewTracker returns a tracker with the given idle time.
func NewTracker(idle time.Duration) *Tracker {
	return &Tracker{
		idle:     idle,
		events:   make(chan Event, 256),
		sessions: make(map[string]*session),
	}
}

// Events delivers changes; events are dropped while the reader is too slow.
func (t *Tracker) Events() <-chan Event { return t.events }

// Touch records activity of a user.
func (t *Tracker) Touch(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[user]
	if ok {
		s.timer.Stop()
	} else {
		s = new(session)
		t.sessions[user] = s
		t.emit(Event{User: user, Online: true})
	}
	t.seq++
	gen := t.seq
	s.gen = gen
	s.seen = time.Now()
	s.timer = time.AfterFunc(t.idle, func() { t.expire(user, gen) })
}

// Logout removes a user at once.
func (t *Tracker) Logout(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[user]
	if !ok {
		return
	}
	s.timer.Stop()
	t.drop(user)
}

func (t *Tracker) expire(user string, gen uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[user]
	if !ok || s.gen != gen {
		return
	}
	t.drop(user)
}

func (t *Tracker) drop(user string) {
	delete(t.sessions, user)
	t.emit(Event{User: user, Online: false})
}

func (t *Tracker) emit(e Event) {
	select {
	case t.events <- e:
	default:
		t.dropped++
	}
}

// Online lists the users that are online.
func (t *Tracker) Online() []string {
	t.mu.Lock()
	out := make([]string, 0, len(t.sessions))
	for u := range t.sessions {
		out = append(out, u)
	}
	t.mu.Unlock()
	sort.Strings(out)
	return out
}

// LastSeen returns the time of the latest activity of an online user.
func (t *Tracker) LastSeen(user string) (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[user]
	if !ok {
		return time.Time{}, false
	}
	return s.seen, true
}
