// Package timed has values that are the current time, or have it beside others.
package timed

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func now() int64 { return time.Now().Unix() }

type session struct {
	id      string
	created time.Time
	hits    int
}

// Sessions have a count, which is lost with the session.
type Sessions struct {
	mu   sync.Mutex
	byID map[string]*session
	seen map[string]int64
}

func (s *Sessions) Hit(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[id].hits++
}

// Get replaces the session of another goroutine: that it has the time in it makes them no
// better than others.
func (s *Sessions) Get(id string) *session {
	s.mu.Lock()
	x := s.byID[id]
	s.mu.Unlock()
	if x == nil {
		x = &session{id: id, created: time.Now()}
		s.mu.Lock()
		s.byID[id] = x // want `check-then-act: s.byID\[id\] was checked`
		s.mu.Unlock()
	}
	return x
}

// Note keeps a coarse time: either one is right.
func (s *Sessions) Note(id string) {
	s.mu.Lock()
	old := s.seen[id] < now()-60
	s.mu.Unlock()
	if old {
		s.mu.Lock()
		s.seen[id] = now()
		s.mu.Unlock()
	}
}

type setting struct {
	value int
	at    time.Time
}

// Settings keep the highest value.
type Settings struct {
	mu  sync.Mutex
	all map[string]setting
}

// Raise compares in another section.
func (s *Settings) Raise(k string, v int) {
	s.mu.Lock()
	old := s.all[k]
	s.mu.Unlock()
	if old.value < v {
		s.mu.Lock()
		s.all[k] = setting{v, time.Now()} // want `check-then-act: s.all\[k\] was checked`
		s.mu.Unlock()
	}
}

type counted struct {
	s string
	n atomic.Int64
	// used is a coarse time.
	used atomic.Int64
}

// Counts keep how often a text was asked for, and lose some of it.
type Counts struct{ m sync.Map }

func (t *Counts) Of(s string) string {
	if v, ok := t.m.Load(s); ok {
		x := v.(*counted)
		x.n.Add(1)
		if x.used.Load() < now()-10 {
			x.used.Store(now())
		}
		return x.s
	}
	x := &counted{s: strings.Clone(s)}
	t.m.Store(s, x) // want `check-then-act: t.m\[s\] was checked`
	return x.s
}

// Visits has a clock that a test may replace, one that it is given, and a source of numbers that
// is no clock.
type Visits struct {
	now    func() time.Time
	given  func() time.Time
	number func() int64
	last   atomic.Int64
	id     atomic.Int64
}

func (v *Visits) Touch() {
	now := v.now().Unix()
	if v.last.Load()+10 < now {
		v.last.Store(now)
	}
}

func (v *Visits) Retouch() {
	now := v.given().Unix()
	if v.last.Load()+10 < now {
		v.last.Store(now)
	}
}

func NewVisits(given func() time.Time) *Visits { return &Visits{now: time.Now, given: given} }

func (v *Visits) Number() int64 {
	if v.id.Load() == 0 {
		v.id.Store(v.number()) // want `check-then-act: v.id was checked`
	}
	return v.id.Load()
}
