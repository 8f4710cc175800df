package copies

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Version is not changed once it is installed.
type Version struct {
	seq   int
	parts []int
}

func (v *Version) clone() *Version {
	return &Version{seq: v.seq, parts: append([]int(nil), v.parts...)}
}

func (v *Version) replace(from, to int) {
	for i, p := range v.parts {
		if p == from {
			v.parts[i] = to
		}
	}
}

// Versions has the present one. What install and replace write belongs to the construction of the next one.
type Versions struct {
	current atomic.Pointer[Version]
	mu      sync.Mutex
}

func (s *Versions) install(v *Version) {
	v.seq = s.current.Load().seq + 1
	s.current.Store(v)
}

func (s *Versions) Add(p int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.current.Load().clone()
	next.parts = append(next.parts, p)
	s.install(next)
}

func (s *Versions) Merge(merge func([]int) int) {
	v := s.current.Load()
	to := merge(v.parts)
	next := v.clone()
	next.replace(v.parts[0], to)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.install(next) // want `s.current was read at line 47, but the atomic operations are separate and an update by another goroutine is lost by this call of install`
}

func (s *Versions) MergeAgain(merge func([]int) int) {
	v := s.current.Load()
	to := merge(v.parts)
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.current.Load().clone()
	next.replace(v.parts[0], to)
	s.install(next)
}

// An Account is put back as a copy with the time of the change.
type Account struct {
	ID      string
	Points  int
	changed time.Time
}

type Accounts struct {
	mu  sync.Mutex
	all map[string]Account
}

func (a *Accounts) Get(id string) Account {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all[id]
}

func (a *Accounts) Put(x Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x.changed = time.Now()
	a.all[x.ID] = x
}

func (a *Accounts) Spend(id string, n int, pay func() error) error {
	x := a.Get(id)
	if err := pay(); err != nil {
		return err
	}
	x.Points -= n
	a.Put(x) // want `a.all\[id\] was read at line 92, but a.mu was released when Get returned and`
	return nil
}

// Move puts the copy under another key.
func (a *Accounts) Move(from, to string) {
	x := a.Get(from)
	x.ID = to
	a.Put(x)
}
