package atomvetrt

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestDump(t *testing.T) {
	type inner struct{ n int }
	type outer struct {
		mu   sync.Mutex
		p    atomic.Pointer[inner]
		none atomic.Pointer[inner]
		n    atomic.Int64
		any  atomic.Value
		m    sync.Map
		own  map[string]*inner
		next *outer
	}
	o := &outer{mu: sync.Mutex{}, none: atomic.Pointer[inner]{}, own: map[string]*inner{"b": {2}, "a": {1}}}
	o.p.Store(&inner{7})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.none.Store(nil)
	o.n.Store(3)
	o.any.Store("x")
	o.m.Store("k", &inner{5})
	o.next = o
	const want = `&1{mu:… p:&2{n:7} none:nil n:3 any:"x" m:map["k":&3{n:5}] own:map["a":&4{n:1} "b":&5{n:2}] next:&1}`
	for range 20 { // maps have no order
		if got := dump(o); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}
