// Correct: Update reads a flag, works on a copy without the lock and writes in a
// second critical section, but swap compares the version and Update starts over
// when the flag was written in between. Versions come from one counter of the
// whole store, so a flag that was deleted and made again has another one.
package flagversion

import (
	"errors"
	"maps"
	"sync"
)

var (
	ErrUnknown  = errors.New("unknown flag")
	errConflict = errors.New("flag was changed")
)

type Flag struct {
	Name    string
	Enabled bool
	Weights map[string]int
	version uint64
}

func (f Flag) clone() Flag {
	f.Weights = maps.Clone(f.Weights)
	if f.Weights == nil {
		f.Weights = map[string]int{}
	}
	return f
}

// Flags is a store of feature flags.
type Flags struct {
	mu     sync.RWMutex
	clock  uint64
	flags  map[string]Flag
	audits []string
}

func New() *Flags {
	return &Flags{flags: make(map[string]Flag)}
}

// Set writes a flag whatever was there.
func (s *Flags) Set(f Flag) {
	f = f.clone()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	f.version = s.clock
	s.flags[f.Name] = f
	s.audits = append(s.audits, "set "+f.Name)
}

func (s *Flags) Delete(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flags, name)
	s.audits = append(s.audits, "delete "+name)
}

// Get returns a copy of a flag.
func (s *Flags) Get(name string) (Flag, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	f, ok := s.flags[name]
	if !ok {
		return Flag{}, ErrUnknown
	}
	return f.clone(), nil
}

func (s *Flags) swap(name string, version uint64, f Flag) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur, ok := s.flags[name]
	if !ok || cur.version != version {
		return errConflict
	}
	s.clock++
	f.Name = name
	f.version = s.clock
	s.flags[name] = f
	s.audits = append(s.audits, "update "+name)
	return nil
}

// Update changes a flag by a function, which may be called several times.
func (s *Flags) Update(name string, change func(*Flag) error) error {
	for {
		f, err := s.Get(name)
		if err != nil {
			return err
		}
		version := f.version
		if err := change(&f); err != nil {
			return err
		}
		err = s.swap(name, version, f.clone())
		if !errors.Is(err, errConflict) {
			return err
		}
	}
}

// Shift moves weight from one variant of a flag to another.
func (s *Flags) Shift(name, from, to string, n int) error {
	return s.Update(name, func(f *Flag) error {
		n := min(n, f.Weights[from])
		f.Weights[from] -= n
		f.Weights[to] += n
		return nil
	})
}

// Audits returns what was done, oldest first.
func (s *Flags) Audits() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]string(nil), s.audits...)
}
