// Package syncmap uses sync.Map, each operation of which is atomic.
package syncmap

import (
	"sync"
	"sync/atomic"
)

type session struct {
	user string
	hits atomic.Int64
}

type Sessions struct {
	m sync.Map // string -> *session
}

func (s *Sessions) Open(id string) *session {
	if v, ok := s.m.Load(id); ok {
		return v.(*session)
	}
	n := &session{user: id}
	s.m.Store(id, n) // want `check-then-act: s\.m\[id\] was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this write`
	return n
}

func (s *Sessions) OpenAtOnce(id string) *session {
	if v, ok := s.m.Load(id); ok {
		return v.(*session)
	}
	v, _ := s.m.LoadOrStore(id, &session{user: id})
	return v.(*session)
}

// OpenLoser closes what it made in vain.
func (s *Sessions) OpenLoser(id string, dial func() *session, hang func(*session)) *session {
	n := dial()
	v, loaded := s.m.LoadOrStore(id, n)
	if loaded {
		hang(n)
	}
	return v.(*session)
}

func (s *Sessions) CloseAtOnce(id string, hang func(*session)) {
	if v, ok := s.m.LoadAndDelete(id); ok {
		hang(v.(*session))
	}
}

// CloseSame deletes what it has looked at only.
func (s *Sessions) CloseSame(id, user string) bool {
	v, ok := s.m.Load(id)
	if !ok || v.(*session).user != user {
		return false
	}
	return s.m.CompareAndDelete(id, v)
}

// CloseOther may delete the session of another user.
func (s *Sessions) CloseOther(id, user string) bool {
	v, ok := s.m.Load(id)
	if !ok || v.(*session).user != user {
		return false
	}
	s.m.Delete(id) // want `check-then-act: s\.m\[id\] was checked`
	return true
}

// Rename loses what comes in between.
func (s *Sessions) Rename(id, user string) {
	v, ok := s.m.Load(id)
	if !ok {
		return
	}
	s.m.Store(id, &session{user: v.(*session).user + "/" + user}) // want `(lost-update|check-then-act): s\.m\[id\] was (read|checked)`
}

// RenameLoop tries until nobody comes in between.
func (s *Sessions) RenameLoop(id, user string) {
	for {
		v, ok := s.m.Load(id)
		if !ok {
			return
		}
		if s.m.CompareAndSwap(id, v, &session{user: v.(*session).user + "/" + user}) {
			return
		}
	}
}

func (s *Sessions) Swap(id, user string) (old *session) {
	if v, ok := s.m.Swap(id, &session{user: user}); ok {
		old = v.(*session)
	}
	return old
}

// Hit counts in what it has found.
func (s *Sessions) Hit(id string) {
	if v, ok := s.m.Load(id); ok {
		v.(*session).hits.Add(1)
	}
}

// Link stores under another key.
func (s *Sessions) Link(id, alias string) {
	if v, ok := s.m.Load(id); ok {
		s.m.Store(alias, v)
	}
}

// Sweep deletes what it ranges over.
func (s *Sessions) Sweep(idle func(*session) bool) {
	s.m.Range(func(k, v any) bool {
		if idle(v.(*session)) {
			s.m.CompareAndDelete(k, v)
		}
		return true
	})
}

// counts are plain values: an update is lost.
type Counts struct{ m sync.Map }

func (c *Counts) Add(name string, n int) {
	old, _ := c.m.Load(name)
	sum, _ := old.(int)
	c.m.Store(name, sum+n) // want `lost-update: c\.m\[name\] was read`
}

func (c *Counts) AddLoop(name string, n int) {
	for {
		old, ok := c.m.LoadOrStore(name, n)
		if !ok {
			return
		}
		if c.m.CompareAndSwap(name, old, old.(int)+n) {
			return
		}
	}
}

// Serial has a mutex that all writers hold.
type Serial struct {
	mu sync.Mutex
	m  sync.Map
}

func (s *Serial) Get(id string) (*session, bool) {
	v, ok := s.m.Load(id)
	if !ok {
		return nil, false
	}
	return v.(*session), true
}

func (s *Serial) Ensure(id string) *session {
	if x, ok := s.Get(id); ok {
		return x
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, ok := s.Get(id); ok {
		return x
	}
	x := &session{user: id}
	s.m.Store(id, x)
	return x
}

func (s *Serial) Drop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m.Delete(id)
}

var live sync.Map

// Live is a package variable.
func Live(id string) *session {
	v, ok := live.Load(id)
	if ok {
		return v.(*session)
	}
	x := new(session)
	live.Store(id, x) // want `check-then-act: live\[id\] was checked`
	return x
}

func LiveAtOnce(id string) *session {
	v, _ := live.LoadOrStore(id, new(session))
	return v.(*session)
}

// Close lets two callers close the same session.
func (s *Sessions) Close(id string, hang func(*session)) {
	v, ok := s.m.Load(id)
	if !ok {
		return
	}
	hang(v.(*session))
	s.m.Delete(id) // want `check-then-act: s\.m\[id\] was checked`
}

// A Router caches what it has found, and drops it when that changes.
type Router struct {
	mu       sync.RWMutex
	handlers []string
	cache    sync.Map // of topics
	cached   atomic.Int32
}

func (r *Router) Add(h string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handlers = append(r.handlers, h)
	r.invalidate()
}

func (r *Router) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handlers = nil
	r.invalidate()
}

func (r *Router) invalidate() {
	r.cache.Range(func(k, _ any) bool {
		if _, ok := r.cache.LoadAndDelete(k); ok {
			r.cached.Add(-1)
		}
		return true
	})
}

func (r *Router) find(topic string) []string {
	var found []string
	for _, h := range r.handlers {
		if h == topic {
			found = append(found, h)
		}
	}
	return found
}

// Lookup keeps what may be outdated.
func (r *Router) Lookup(topic string) []string {
	if v, ok := r.cache.Load(topic); ok {
		return v.([]string)
	}
	r.mu.RLock()
	found := r.find(topic)
	r.mu.RUnlock()
	if _, loaded := r.cache.Swap(topic, found); !loaded { // want `stale-use: r\.handlers\[…\] was read`
		r.cached.Add(1)
	}
	return found
}

// LookupAtOnce keeps it before it can change.
func (r *Router) LookupAtOnce(topic string) []string {
	if v, ok := r.cache.Load(topic); ok {
		return v.([]string)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	found := r.find(topic)
	if _, loaded := r.cache.Swap(topic, found); !loaded {
		r.cached.Add(1)
	}
	return found
}

// Exchange puts back a sum that others may have changed.
func (r *Router) Exchange(n int32) {
	old := r.cached.Load()
	r.cached.Swap(old + n) // want `lost-update: r\.cached was read`
}
