package counted

import (
	"sync"
	"sync/atomic"
)

type digger struct {
	uses    atomic.Int64
	retired atomic.Bool
	once    sync.Once
	end     func()
}

func (t *digger) take() { t.uses.Add(1) }

func (t *digger) put() {
	if t.uses.Add(-1) == 0 && t.retired.Load() {
		t.once.Do(t.end)
	}
}

// retire ends the digger, or leaves that to the last user.
func (t *digger) retire() {
	t.retired.Store(true)
	if t.uses.Load() == 0 {
		t.once.Do(t.end)
	}
}

// A Shed has tools that are replaced while they are in use.
type Shed struct {
	mu    sync.RWMutex
	tools map[string]*digger
}

func (s *Shed) Remove(name string) {
	s.mu.Lock()
	t, ok := s.tools[name]
	delete(s.tools, name)
	s.mu.Unlock()
	if ok {
		t.retire()
	}
}

func (s *Shed) find(name string) *digger {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tools[name]
}

func (s *Shed) Use(name string, work func(*digger)) {
	t := s.find(name)
	if t == nil {
		return
	}
	t.take() // want `s.tools\[name\] was checked at line \d+, but s.mu was released when find returned and another goroutine may remove it, as it counts no users, before this call of take`
	defer t.put()
	work(t)
}

// UseCounted counts in the section of the look-up.
func (s *Shed) UseCounted(name string, work func(*digger)) {
	t := s.acquire(name)
	if t == nil {
		return
	}
	defer t.put()
	work(t)
}

func (s *Shed) acquire(name string) *digger {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.tools[name]
	if t != nil {
		t.take()
	}
	return t
}
