// Package hooks lets plug-ins observe the events of a service.
package hooks

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"sync"
	"sync/atomic"
)

// ErrDuplicate means that a plug-in already observes an event.
var ErrDuplicate = errors.New("hooks: already registered")

// Event is something that happened.
type Event struct {
	Kind    string
	Subject string
}

// Func observes events.
type Func func(Event) error

type table map[string]map[string]Func

// Bus delivers events to hooks.
type Bus struct {
	admin sync.Mutex
	hooks atomic.Pointer[table]
	fails atomic.Uint64
}

// NewBus returns a bus without hooks.
func NewBus() *Bus {
	b := new(Bus)
	b.hooks.Store(&table{})
	return b
}

func (b *Bus) snapshot() table { return *b.hooks.Load() }

func (b *Bus) publish(t table) { b.hooks.Store(&t) }

func (t table) withKind(kind string) table {
	next := maps.Clone(t)
	of := make(map[string]Func, len(t[kind])+1)
	maps.Copy(of, t[kind])
	next[kind] = of
	return next
}

// Add registers a hook of a plug-in.
func (b *Bus) Add(kind, plugin string, fn Func) error {
	b.admin.Lock()
	defer b.admin.Unlock()
	cur := b.snapshot()
	if _, dup := cur[kind][plugin]; dup {
		return fmt.Errorf("%w: %s for %s", ErrDuplicate, plugin, kind)
	}
	next := cur.withKind(kind)
	next[kind][plugin] = fn
	b.publish(next)
	return nil
}

// RemovePlugin removes all hooks of a plug-in. Events that are being delivered
// may still reach it.
func (b *Bus) RemovePlugin(plugin string) (removed int) {
	b.admin.Lock()
	defer b.admin.Unlock()
	next := b.snapshot()
	for kind, of := range b.snapshot() {
		if _, ok := of[plugin]; ok {
			next = next.withKind(kind)
			delete(next[kind], plugin)
			removed++
		}
	}
	if removed > 0 {
		b.publish(next)
	}
	return removed
}

// Fire calls the hooks of the event's kind.
func (b *Bus) Fire(ev Event) {
	for plugin, fn := range b.snapshot()[ev.Kind] {
		if err := fn(ev); err != nil {
			b.fails.Add(1)
			log.Printf("hooks: %s on %s: %v", plugin, ev.Kind, err)
		}
	}
}

// Observed says if anybody observes a kind of event.
func (b *Bus) Observed(kind string) bool {
	return len(b.snapshot()[kind]) > 0
}

// Failures returns how many hook calls failed.
func (b *Bus) Failures() uint64 { return b.fails.Load() }
