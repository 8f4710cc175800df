// Correct: copy-on-write. A published table is never changed; readers load the
// pointer once and work on what they got. Writers load, copy and store under
// writeMu, so no write is lost. The look without the lock in Set and Remove may
// only end the call early: the call then counts as made at the moment of that
// load, when the table was as asked for. Otherwise they load again under the
// lock.
package endpointcow

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

type table map[string][]string // service -> sorted addresses

// Endpoints maps services to addresses, for many readers and few writers.
type Endpoints struct {
	writeMu sync.Mutex
	current atomic.Pointer[table]
	turn    atomic.Uint64
}

func New() *Endpoints {
	e := &Endpoints{}
	e.current.Store(&table{})
	return e
}

// Set replaces the addresses of a service.
func (e *Endpoints) Set(service string, addrs []string) bool {
	want := slices.Clone(addrs)
	slices.Sort(want)
	if have, ok := (*e.current.Load())[service]; ok && slices.Equal(have, want) {
		return false
	}
	e.writeMu.Lock()
	defer e.writeMu.Unlock()
	cur := *e.current.Load()
	if have, ok := cur[service]; ok && slices.Equal(have, want) {
		return false
	}
	next := maps.Clone(cur)
	next[service] = want
	e.current.Store(&next)
	return true
}

// Remove takes a service out.
func (e *Endpoints) Remove(service string) bool {
	if _, ok := (*e.current.Load())[service]; !ok {
		return false
	}
	e.writeMu.Lock()
	defer e.writeMu.Unlock()
	cur := *e.current.Load()
	if _, ok := cur[service]; !ok {
		return false
	}
	next := maps.Clone(cur)
	delete(next, service)
	e.current.Store(&next)
	return true
}

// Pick returns one address of a service, in turn.
func (e *Endpoints) Pick(service string) (string, bool) {
	addrs := (*e.current.Load())[service]
	if len(addrs) == 0 {
		return "", false
	}
	n := e.turn.Add(1)
	return addrs[n%uint64(len(addrs))], true
}

// Services returns the services and how many addresses each has.
func (e *Endpoints) Services() map[string]int {
	t := *e.current.Load()
	out := make(map[string]int, len(t))
	for s, addrs := range t {
		out[s] = len(addrs)
	}
	return out
}
