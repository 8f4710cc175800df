// Package rumor spreads texts among the members of a group. Every text is sent
// a number of times that grows slowly with the size of the group.
package rumor

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"
)

// Rumor is a text about a subject. A later rumor about the same subject takes
// the place of an earlier one.
type Rumor struct {
	Subject string
	Text    string
}

type queued struct {
	rumor Rumor
	sent  int
}

// queue holds the rumors that are spread.
type queue struct {
	// size returns how many members there are, more or less.
	size func() int
	mult int

	mu    sync.Mutex
	items []*queued // those sent least come first
}

// limit is the number of times that a rumor is sent.
func (q *queue) limit(size int) int {
	return q.mult * int(math.Ceil(math.Log10(float64(size+1))))
}

func (q *queue) put(r Rumor) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, it := range q.items {
		if it.rumor.Subject == r.Subject {
			q.items = append(q.items[:i], q.items[i+1:]...)
			break
		}
	}
	q.items = append([]*queued{{rumor: r}}, q.items...)
}

// take returns at most n rumors to send and forgets those that were sent often
// enough.
func (q *queue) take(n int) []Rumor {
	limit := q.limit(q.size())

	q.mu.Lock()
	defer q.mu.Unlock()
	var out []Rumor
	var keep []*queued
	for _, it := range q.items {
		if len(out) < n {
			out = append(out, it.rumor)
			it.sent++
		}
		if it.sent < limit {
			keep = append(keep, it)
		}
	}
	sort.SliceStable(keep, func(i, j int) bool { return keep[i].sent < keep[j].sent })
	q.items = keep
	return out
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// Group is safe for concurrent use.
type Group struct {
	rumors *queue

	// estimate is the number of members. The queue uses it without the lock
	// of the members, under which rumors are put into the queue. It does not
	// matter if a rumor is sent once more or less.
	estimate atomic.Int32

	mu      sync.RWMutex
	members map[string]uint64 // the version of each member
}

// NewGroup returns an empty group.
func NewGroup(mult int) *Group {
	g := &Group{members: make(map[string]uint64)}
	g.rumors = &queue{size: func() int { return int(g.estimate.Load()) }, mult: mult}
	return g
}

// Join adds a member, or a later version of it.
func (g *Group) Join(name string, version uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old, ok := g.members[name]
	if ok && version <= old {
		return
	}
	g.members[name] = version
	if !ok {
		g.estimate.Add(1)
	}
	g.rumors.put(Rumor{Subject: name, Text: "joined"})
}

// Leave removes a member.
func (g *Group) Leave(name string, version uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old, ok := g.members[name]
	if !ok || version < old {
		return
	}
	delete(g.members, name)
	g.estimate.Add(-1)
	g.rumors.put(Rumor{Subject: name, Text: "left"})
}

// Say spreads a text.
func (g *Group) Say(subject, text string) {
	g.rumors.put(Rumor{Subject: subject, Text: text})
}

// Next returns at most n rumors to send to a member that the caller picks.
func (g *Group) Next(n int) []Rumor {
	return g.rumors.take(n)
}

// Waiting returns the number of rumors that are spread.
func (g *Group) Waiting() int { return g.rumors.len() }

// Members returns the names of the members.
func (g *Group) Members() []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	names := make([]string, 0, len(g.members))
	for name := range g.members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
