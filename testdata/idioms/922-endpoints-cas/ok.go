// Package endpoints holds the addresses of a service as reported by several
// discovery watchers, and picks one per request.
package endpoints

import (
	"errors"
	"maps"
	"slices"
	"sync/atomic"
)

// ErrEmpty is returned by Pick when no endpoint is ready.
var ErrEmpty = errors.New("endpoints: none ready")

// Endpoint is one address of the service.
type Endpoint struct {
	ID    string
	Addr  string
	Ready bool
}

// view is one state of the list. It is not modified once it can be seen.
type view struct {
	rev   uint64
	byID  map[string]Endpoint
	ready []Endpoint // sorted by ID
}

func newView(rev uint64, byID map[string]Endpoint) *view {
	v := &view{rev: rev, byID: byID}
	for _, e := range byID {
		if e.Ready {
			v.ready = append(v.ready, e)
		}
	}
	slices.SortFunc(v.ready, func(a, b Endpoint) int {
		switch {
		case a.ID < b.ID:
			return -1
		case a.ID > b.ID:
			return 1
		}
		return 0
	})
	return v
}

// List is safe for concurrent use: each watcher reports its own endpoints while
// requests call Pick.
type List struct {
	cur  atomic.Pointer[view]
	next atomic.Uint64
}

// NewList returns an empty list.
func NewList() *List {
	l := &List{}
	l.cur.Store(newView(0, nil))
	return l
}

// edit applies change to a copy of the endpoints. change returns false if there
// is nothing to do; it may be called more than once.
func (l *List) edit(change func(byID map[string]Endpoint) bool) uint64 {
	for {
		old := l.cur.Load()
		byID := maps.Clone(old.byID)
		if byID == nil {
			byID = make(map[string]Endpoint)
		}
		if !change(byID) {
			return old.rev
		}
		if v := newView(old.rev+1, byID); l.cur.CompareAndSwap(old, v) {
			return v.rev
		}
	}
}

// Put adds or replaces an endpoint and returns the resulting revision.
func (l *List) Put(e Endpoint) uint64 {
	return l.edit(func(byID map[string]Endpoint) bool {
		if have, ok := byID[e.ID]; ok && have == e {
			return false
		}
		byID[e.ID] = e
		return true
	})
}

// Delete removes an endpoint.
func (l *List) Delete(id string) uint64 {
	return l.edit(func(byID map[string]Endpoint) bool {
		if _, ok := byID[id]; !ok {
			return false
		}
		delete(byID, id)
		return true
	})
}

// SetReady changes the readiness of an endpoint, if it is known.
func (l *List) SetReady(id string, ready bool) uint64 {
	return l.edit(func(byID map[string]Endpoint) bool {
		e, ok := byID[id]
		if !ok || e.Ready == ready {
			return false
		}
		e.Ready = ready
		byID[id] = e
		return true
	})
}

// Sync makes the endpoints whose IDs satisfy mine equal to want, as one change.
func (l *List) Sync(mine func(id string) bool, want []Endpoint) uint64 {
	return l.edit(func(byID map[string]Endpoint) bool {
		before := maps.Clone(byID)
		maps.DeleteFunc(byID, func(id string, _ Endpoint) bool { return mine(id) })
		for _, e := range want {
			byID[e.ID] = e
		}
		return !maps.Equal(before, byID)
	})
}

// Pick returns the ready endpoints in turn.
func (l *List) Pick() (Endpoint, error) {
	ready := l.cur.Load().ready
	if len(ready) == 0 {
		return Endpoint{}, ErrEmpty
	}
	return ready[l.next.Add(1)%uint64(len(ready))], nil
}

// Get returns an endpoint by ID.
func (l *List) Get(id string) (Endpoint, bool) {
	e, ok := l.cur.Load().byID[id]
	return e, ok
}

// Snapshot returns the ready endpoints and the revision they belong to.
func (l *List) Snapshot() ([]Endpoint, uint64) {
	v := l.cur.Load()
	return slices.Clone(v.ready), v.rev
}
