package syncmap

import (
	"sync"
	"sync/atomic"
)

// What is handed to Range gets the elements.

// Counters are counted up by some, and sent by others.
type Counters struct {
	byName sync.Map // string -> *atomic.Int64
	send   func(name string, n int64) error
}

func (c *Counters) Add(name string, n int64) {
	v, _ := c.byName.LoadOrStore(name, new(atomic.Int64))
	v.(*atomic.Int64).Add(n)
}

func (c *Counters) Flush() {
	c.byName.Range(func(k, v any) bool {
		counter := v.(*atomic.Int64)
		if n := counter.Load(); c.send(k.(string), n) == nil {
			counter.Store(0) // want `lost-update: c.byName\[k\] was read at line \d+`
		}
		return true
	})
}

// FlushTaken takes the number out.
func (c *Counters) FlushTaken() {
	c.byName.Range(func(k, v any) bool {
		counter := v.(*atomic.Int64)
		if n := counter.Swap(0); c.send(k.(string), n) != nil {
			counter.Add(n)
		}
		return true
	})
}

type visit struct {
	mu    sync.Mutex
	users int
}

// Visits are removed when nobody uses them.
type Visits struct {
	byID sync.Map // string -> *visit
}

func (s *Visits) Enter(id string) {
	v, _ := s.byID.LoadOrStore(id, new(visit))
	in := v.(*visit)
	in.mu.Lock()
	in.users++ // want `check-then-act: s.byID\[id\] was checked`
	in.mu.Unlock()
}

func (s *Visits) Leave(id string) {
	if v, ok := s.byID.Load(id); ok {
		in := v.(*visit)
		in.mu.Lock()
		in.users--
		in.mu.Unlock()
	}
}

func (s *Visits) Sweep() {
	s.byID.Range(func(k, v any) bool {
		in := v.(*visit)
		in.mu.Lock()
		idle := in.users < 1
		in.mu.Unlock()
		if idle {
			s.byID.Delete(k) // want `check-then-act: s.byID\[…\].users was checked at line \d+, but s.byID\[…\].mu was released`
		}
		return true
	})
}

type drawing struct {
	text string
	used atomic.Int64
}

// A Renderer keeps drawings, which are made anew when they are missed.
type Renderer struct {
	drawings sync.Map // string -> *drawing
	now      func() int64
}

func (r *Renderer) Draw(name string) string {
	v, ok := r.drawings.Load(name)
	if !ok {
		v, _ = r.drawings.LoadOrStore(name, &drawing{text: "<" + name + ">"})
	}
	d := v.(*drawing)
	d.used.Store(r.now())
	return d.text
}

// Sweep may remove what has just been used, which costs time.
func (r *Renderer) Sweep(deadline int64) {
	r.drawings.Range(func(k, v any) bool {
		if v.(*drawing).used.Load() < deadline {
			r.drawings.Delete(k)
		}
		return true
	})
}
