// Package reputation tracks how recipient domains answer our mail and when to
// leave them alone.
package reputation

import (
	"sort"
	"strings"
	"sync"
	"time"
)

// Outcome is how one delivery attempt ended.
type Outcome int

const (
	Delivered Outcome = iota
	Deferred
	Bounced
)

// Policy says when a domain is put on hold.
type Policy struct {
	Streak int           // failures in a row before a hold
	Hold   time.Duration // first hold; doubles with each further failure
	Max    time.Duration
}

// domainState is kept by value; states are never modified once stored.
type domainState struct {
	delivered int64
	bounced   int64
	streak    int
	holdUntil int64 // unix nanoseconds
}

func (s domainState) next(o Outcome, now time.Time, p Policy) domainState {
	switch o {
	case Delivered:
		s.delivered++
		s.streak = 0
		s.holdUntil = 0
		return s
	case Bounced:
		s.bounced++
	}
	s.streak++
	if over := s.streak - p.Streak; over >= 0 {
		d := min(p.Hold<<min(over, 10), p.Max)
		s.holdUntil = now.Add(d).UnixNano()
	}
	return s
}

// Tracker is shared by all senders.
type Tracker struct {
	policy  Policy
	domains sync.Map // string -> domainState
}

// NewTracker returns a tracker with policy p.
func NewTracker(p Policy) *Tracker {
	if p.Streak <= 0 {
		p.Streak = 5
	}
	if p.Hold <= 0 {
		p.Hold = time.Minute
	}
	if p.Max < p.Hold {
		p.Max = 4 * time.Hour
	}
	return &Tracker{policy: p}
}

func (t *Tracker) state(domain string) domainState {
	if v, ok := t.domains.Load(domain); ok {
		return v.(domainState)
	}
	return domainState{}
}

// Record notes the outcome of an attempt to addr.
func (t *Tracker) Record(addr string, o Outcome, now time.Time) {
	domain := domainOf(addr)
	for {
		v, _ := t.domains.LoadOrStore(domain, domainState{})
		if t.domains.CompareAndSwap(domain, v, v.(domainState).next(o, now, t.policy)) {
			return
		}
	}
}

// HeldUntil returns when mail to addr may be tried again; the zero time means
// right away.
func (t *Tracker) HeldUntil(addr string, now time.Time) time.Time {
	st := t.state(domainOf(addr))
	if st.holdUntil <= now.UnixNano() {
		return time.Time{}
	}
	return time.Unix(0, st.holdUntil)
}

// Line is one row of the billing report.
type Line struct {
	Domain             string
	Delivered, Bounced int64
}

// Report lists the domains by volume.
func (t *Tracker) Report() []Line {
	var out []Line
	t.domains.Range(func(k, v any) bool {
		st := v.(domainState)
		out = append(out, Line{Domain: k.(string), Delivered: st.delivered, Bounced: st.bounced})
		return true
	})
	sort.Slice(out, func(i, j int) bool { return out[i].Delivered > out[j].Delivered })
	return out
}

func domainOf(addr string) string {
	if i := strings.LastIndexByte(addr, '@'); i >= 0 {
		addr = addr[i+1:]
	}
	return strings.ToLower(addr)
}
