// Package dynzone is an authoritative zone with dynamic updates.
package dynzone

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Key names a record set.
type Key struct {
	Name string
	Type string
}

// Change is one line of an update message. Empty values delete the set.
type Change struct {
	Key    Key
	Values []string
}

// ErrPrerequisite is returned when an update expects another serial.
var ErrPrerequisite = errors.New("dynzone: prerequisite failed")

// generation is immutable once it is stored.
type generation struct {
	serial uint32
	sets   map[Key][]string
}

// Zone is safe for concurrent use. Queries take no lock.
type Zone struct {
	origin  string
	notify  func()
	current atomic.Pointer[generation]

	updateMu sync.Mutex
	journal  []uint32
}

// New returns a zone with serial 1. Notify is a hint that the secondaries should
// look at the serial.
func New(origin string, notify func()) *Zone {
	z := &Zone{origin: origin, notify: notify}
	z.current.Store(&generation{serial: 1, sets: map[Key][]string{}})
	return z
}

// Serial returns the serial of the zone.
func (z *Zone) Serial() uint32 {
	return z.current.Load().serial
}

// Query returns a record set and the serial that it belongs to.
func (z *Zone) Query(k Key) ([]string, uint32) {
	g := z.current.Load()
	return slices.Clone(g.sets[k]), g.serial
}

// Transfer calls emit with the serial, all record sets, and the serial.
func (z *Zone) Transfer(soa func(serial uint32) error, emit func(Key, []string) error) error {
	g := z.current.Load()
	if err := soa(g.serial); err != nil {
		return err
	}
	keys := slices.SortedFunc(maps.Keys(g.sets), func(a, b Key) int {
		if a.Name != b.Name {
			if a.Name < b.Name {
				return -1
			}
			return 1
		}
		if a.Type < b.Type {
			return -1
		}
		if a.Type > b.Type {
			return 1
		}
		return 0
	})
	for _, k := range keys {
		if err := emit(k, slices.Clone(g.sets[k])); err != nil {
			return err
		}
	}
	return soa(g.serial)
}

// Update applies changes. With a non-zero serial it fails when the zone has
// moved on.
func (z *Zone) Update(serial uint32, changes []Change) (uint32, error) {
	next, err := z.apply(serial, changes)
	if err != nil {
		return 0, err
	}
	z.notify()
	return next.serial, nil
}

func (z *Zone) apply(serial uint32, changes []Change) (*generation, error) {
	z.updateMu.Lock()
	defer z.updateMu.Unlock()
	cur := z.current.Load()
	if serial != 0 && serial != cur.serial {
		return nil, ErrPrerequisite
	}
	next := &generation{serial: cur.serial + 1, sets: maps.Clone(cur.sets)}
	for _, c := range changes {
		if len(c.Values) == 0 {
			delete(next.sets, c.Key)
			continue
		}
		next.sets[c.Key] = slices.Clone(c.Values)
	}
	z.current.Store(next)
	z.journal = append(z.journal, next.serial)
	return next, nil
}

// Journal returns the serials that were made by updates.
func (z *Zone) Journal() []uint32 {
	z.updateMu.Lock()
	defer z.updateMu.Unlock()
	return slices.Clone(z.journal)
}
