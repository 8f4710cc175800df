// Package flags has the feature flags of the process.
package flags

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"sync"
	"time"
)

var (
	ErrUnknown = errors.New("flags: unknown flag")
	ErrPercent = errors.New("flags: percentage out of range")
)

// Flag is the rollout state of one feature.
type Flag struct {
	Name    string
	Percent int
	Tenants map[string]bool
	Changed time.Time
}

func (f Flag) clone() Flag {
	tenants := make(map[string]bool, len(f.Tenants))
	maps.Copy(tenants, f.Tenants)
	f.Tenants = tenants
	return f
}

var table = struct {
	sync.RWMutex
	flags map[string]Flag
}{flags: make(map[string]Flag)}

// Define makes a flag known with a rollout of zero.
func Define(name string) error {
	table.Lock()
	defer table.Unlock()
	if _, dup := table.flags[name]; dup {
		return fmt.Errorf("flags: %s defined twice", name)
	}
	table.flags[name] = Flag{Name: name, Tenants: map[string]bool{}, Changed: time.Now()}
	return nil
}

// Lookup returns a copy of a flag.
func Lookup(name string) (Flag, error) {
	table.RLock()
	defer table.RUnlock()
	f, ok := table.flags[name]
	if !ok {
		return Flag{}, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return f.clone(), nil
}

// Put replaces a flag as a whole; the importer uses it.
func Put(f Flag) {
	f = f.clone()
	f.Changed = time.Now()
	table.Lock()
	table.flags[f.Name] = f
	table.Unlock()
}

func edit(name string, change func(*Flag)) error {
	table.Lock()
	defer table.Unlock()
	f, ok := table.flags[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	change(&f)
	f.Changed = time.Now()
	table.flags[name] = f
	return nil
}

// SetPercent sets the share of tenants that have the feature.
func SetPercent(name string, percent int) error {
	if percent < 0 || percent > 100 {
		return ErrPercent
	}
	return edit(name, func(f *Flag) { f.Percent = percent })
}

// AllowTenant gives the feature to a tenant regardless of the percentage.
func AllowTenant(name, tenant string) error {
	return edit(name, func(f *Flag) { f.Tenants[tenant] = true })
}

func bucket(name, tenant string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write([]byte(tenant))
	return int(h.Sum32() % 100)
}

// Enabled says if a tenant has the feature.
func Enabled(name, tenant string) bool {
	table.RLock()
	defer table.RUnlock()
	f, ok := table.flags[name]
	if !ok {
		return false
	}
	return f.Tenants[tenant] || bucket(name, tenant) < f.Percent
}

// Export returns copies of all flags.
func Export() []Flag {
	table.RLock()
	defer table.RUnlock()
	out := make([]Flag, 0, len(table.flags))
	for _, f := range table.flags {
		out = append(out, f.clone())
	}
	return out
}
