// Package flags evaluates feature flags.
//
// Correct: a set of flags is never changed after it was stored. Writers load
// the current set, copy it and store the copy, all under one mutex, so that no
// other store can come between; readers load it once for each evaluation and
// see one state of all flags.
package flags

import (
	"errors"
	"hash/fnv"
	"maps"
	"sync"
	"sync/atomic"
)

var ErrUnknown = errors.New("flags: unknown flag")

type Flag struct {
	On       bool
	Percent  uint32
	Requires string
}

type set struct {
	version uint64
	flags   map[string]Flag
}

type Registry struct {
	writers sync.Mutex
	current atomic.Pointer[set]
}

func New() *Registry {
	r := &Registry{}
	r.current.Store(&set{flags: map[string]Flag{}})
	return r
}

// mutate needs r.writers.
func (r *Registry) mutate(fn func(map[string]Flag)) {
	cur := r.current.Load()
	next := &set{version: cur.version + 1, flags: maps.Clone(cur.flags)}
	fn(next.flags)
	r.current.Store(next)
}

func (r *Registry) Define(name string, f Flag) {
	r.writers.Lock()
	defer r.writers.Unlock()
	r.mutate(func(m map[string]Flag) { m[name] = f })
}

func (r *Registry) Toggle(name string) error {
	r.writers.Lock()
	defer r.writers.Unlock()
	f, ok := r.current.Load().flags[name]
	if !ok {
		return ErrUnknown
	}
	f.On = !f.On
	r.mutate(func(m map[string]Flag) { m[name] = f })
	return nil
}

func (r *Registry) Remove(name string) {
	r.writers.Lock()
	defer r.writers.Unlock()
	if _, ok := r.current.Load().flags[name]; !ok {
		return
	}
	r.mutate(func(m map[string]Flag) {
		delete(m, name)
		for other, f := range m {
			if f.Requires == name {
				f.On, f.Requires = false, ""
				m[other] = f
			}
		}
	})
}

func bucket(name, user string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum32() % 100
}

// Enabled tells whether a flag is on for a user, and all that it requires.
func (r *Registry) Enabled(name, user string) bool {
	s := r.current.Load()
	for depth := 0; name != "" && depth < 8; depth++ {
		f, ok := s.flags[name]
		if !ok || !f.On || bucket(name, user) >= f.Percent {
			return false
		}
		name = f.Requires
	}
	return name == ""
}

func (r *Registry) Version() uint64 { return r.current.Load().version }
