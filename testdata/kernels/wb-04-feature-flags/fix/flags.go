// Package flags has the feature flags of the process.
package flags

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Flag enables a feature for a share of the users.
type Flag struct {
	Percent uint32
	Owner   string
}

// active is replaced as a whole; the map it points to is never changed.
var active atomic.Pointer[map[string]Flag]

var updateMu sync.Mutex // one update at a time

func init() {
	active.Store(&map[string]Flag{})
}

func update(edit func(flags map[string]Flag) error) error {
	updateMu.Lock()
	defer updateMu.Unlock()
	next := maps.Clone(*active.Load())
	if err := edit(next); err != nil {
		return err
	}
	active.Store(&next)
	return nil
}

// Define adds a flag that is off. It is called from the admin handlers.
func Define(name, owner string) error {
	return update(func(flags map[string]Flag) error {
		if f, ok := flags[name]; ok {
			return fmt.Errorf("flag %s belongs to %s", name, f.Owner)
		}
		flags[name] = Flag{Owner: owner}
		return nil
	})
}

// Rollout sets the share of the users that have the feature.
func Rollout(name string, percent uint32) error {
	return update(func(flags map[string]Flag) error {
		f, ok := flags[name]
		if !ok {
			return fmt.Errorf("no flag %s", name)
		}
		f.Percent = min(percent, 100)
		flags[name] = f
		return nil
	})
}

// Remove forgets a flag.
func Remove(name string) {
	_ = update(func(flags map[string]Flag) error {
		delete(flags, name)
		return nil
	})
}

// Enabled reports if a user has the feature. It is on the hot path.
func Enabled(name, user string) bool {
	f, ok := (*active.Load())[name]
	if !ok || f.Percent == 0 {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(name + "/" + user))
	return h.Sum32()%100 < f.Percent
}

// Names returns the names of all flags in order.
func Names() []string {
	return slices.Sorted(maps.Keys(*active.Load()))
}
