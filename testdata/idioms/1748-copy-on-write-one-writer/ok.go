package a

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
)

// ErrUnknownFlag is returned for flags that were never defined.
var ErrUnknownFlag = errors.New("flags: unknown flag")

// Flag is one feature switch.
type Flag struct {
	Enabled bool
	Percent int
}

// flagSet is an immutable version of all flags.
type flagSet struct {
	version uint64
	flags   map[string]Flag
}

// Flags holds the feature flags. They are read on each request and changed
// a few times a day, so that readers take no lock at all.
type Flags struct {
	cur atomic.Pointer[flagSet]

	// writing is held by whoever replaces cur.
	writing  sync.Mutex
	onChange []func(version uint64)
}

// NewFlags makes a set without flags.
func NewFlags() *Flags {
	f := &Flags{}
	f.cur.Store(&flagSet{flags: map[string]Flag{}})
	return f
}

// Enabled says whether a flag is on for a user, given by a hash.
func (f *Flags) Enabled(name string, hash uint32) bool {
	fl, ok := f.cur.Load().flags[name]
	return ok && fl.Enabled && int(hash%100) < fl.Percent
}

// Version returns the number of changes so far.
func (f *Flags) Version() uint64 { return f.cur.Load().version }

// draft returns a copy of the flags in force that the caller may change.
func (f *Flags) draft() *flagSet {
	old := f.cur.Load()
	return &flagSet{version: old.version + 1, flags: maps.Clone(old.flags)}
}

// publish puts a draft in force.
func (f *Flags) publish(next *flagSet) {
	f.cur.Store(next)
	for _, fn := range f.onChange {
		fn(next.version)
	}
}

// Define adds a flag or replaces it.
func (f *Flags) Define(name string, fl Flag) {
	f.writing.Lock()
	defer f.writing.Unlock()
	next := f.draft()
	next.flags[name] = fl
	f.publish(next)
}

// Rollout changes the share of users that get a feature.
func (f *Flags) Rollout(name string, percent int) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	next := f.draft()
	fl, ok := next.flags[name]
	if !ok {
		return ErrUnknownFlag
	}
	fl.Percent = min(max(percent, 0), 100)
	next.flags[name] = fl
	f.publish(next)
	return nil
}

// Remove deletes a flag.
func (f *Flags) Remove(name string) {
	f.writing.Lock()
	defer f.writing.Unlock()
	if _, ok := f.cur.Load().flags[name]; !ok {
		return
	}
	next := f.draft()
	delete(next.flags, name)
	f.publish(next)
}

// OnChange adds a function to be called after each change, in order. It must
// not change flags itself.
func (f *Flags) OnChange(fn func(version uint64)) {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.onChange = append(f.onChange, fn)
}
