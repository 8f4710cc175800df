// Package fix holds the membership of a cluster. Readers take a view without
// a lock; a view never changes.
package fix

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Member is a node of the cluster.
type Member struct {
	ID    string
	Addr  string
	Voter bool
}

type view struct {
	version uint64
	members map[string]Member
}

func (v *view) clone() *view {
	return &view{version: v.version, members: maps.Clone(v.members)}
}

// Membership is the current view and who wants to hear of new ones.
type Membership struct {
	cur atomic.Pointer[view]

	mu   sync.Mutex
	subs map[chan struct{}]struct{}
}

// NewMembership returns a membership of the given nodes.
func NewMembership(first ...Member) *Membership {
	v := &view{version: 1, members: make(map[string]Member)}
	for _, m := range first {
		v.members[m.ID] = m
	}
	ms := &Membership{subs: make(map[chan struct{}]struct{})}
	ms.cur.Store(v)
	return ms
}

// update derives the next view with fn, which says whether it changed it.
func (ms *Membership) update(fn func(v *view) bool) bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	next := ms.cur.Load().clone()
	if !fn(next) {
		return false
	}
	next.version++
	ms.cur.Store(next)

	for ch := range ms.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
	return true
}

// Join adds a node, at first without a vote.
func (ms *Membership) Join(id, addr string) bool {
	return ms.update(func(v *view) bool {
		if _, ok := v.members[id]; ok {
			return false
		}
		v.members[id] = Member{ID: id, Addr: addr}
		return true
	})
}

// Promote gives a node a vote.
func (ms *Membership) Promote(id string) bool {
	return ms.update(func(v *view) bool {
		m, ok := v.members[id]
		if !ok || m.Voter {
			return false
		}
		m.Voter = true
		v.members[id] = m
		return true
	})
}

// Remove takes a node out.
func (ms *Membership) Remove(id string) bool {
	return ms.update(func(v *view) bool {
		if _, ok := v.members[id]; !ok {
			return false
		}
		delete(v.members, id)
		return true
	})
}

// Members returns the nodes in order of their ids.
func (ms *Membership) Members() []Member {
	v := ms.cur.Load()
	out := make([]Member, 0, len(v.members))
	for _, id := range slices.Sorted(maps.Keys(v.members)) {
		out = append(out, v.members[id])
	}
	return out
}

// Quorum returns how many votes make a majority.
func (ms *Membership) Quorum() int {
	n := 0
	for _, m := range ms.cur.Load().members {
		if m.Voter {
			n++
		}
	}
	return n/2 + 1
}

// Subscribe returns a channel that gets a token after a change.
func (ms *Membership) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.subs[ch] = struct{}{}
	return ch, func() {
		ms.mu.Lock()
		defer ms.mu.Unlock()
		delete(ms.subs, ch)
	}
}
