// Package hooks tells parts of a daemon about configuration changes.
package hooks

import (
	"log"
	"slices"
	"sync"
)

// Config is passed by value and not modified by hooks.
type Config struct {
	Version int
	Level   string
	Peers   int
}

// Hook is called with every new configuration. A hook has to cope with a
// call that is under way while it is removed.
type Hook func(Config)

type entry struct {
	id   int
	name string
	fn   Hook
}

// Notifier calls hooks in the order they were added.
type Notifier struct {
	publish sync.Mutex // serializes Publish so that versions arrive in order

	mu      sync.Mutex
	nextID  int
	entries []entry // replaced, never changed in place
}

// Add registers fn and returns the function that removes it.
func (n *Notifier) Add(name string, fn Hook) (remove func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := n.nextID
	n.nextID++
	next := make([]entry, 0, len(n.entries)+1)
	next = append(next, n.entries...)
	n.entries = append(next, entry{id: id, name: name, fn: fn})
	return func() { n.remove(id) }
}

func (n *Notifier) remove(id int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.entries, func(e entry) bool { return e.id == id })
	if i < 0 {
		return
	}
	next := make([]entry, 0, len(n.entries)-1)
	next = append(next, n.entries[:i]...)
	n.entries = append(next, n.entries[i+1:]...)
}

func (n *Notifier) snapshot() []entry {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.entries
}

// Publish calls the hooks. Hooks may add and remove hooks but must not
// publish.
func (n *Notifier) Publish(c Config) {
	n.publish.Lock()
	defer n.publish.Unlock()
	for _, e := range n.snapshot() {
		n.call(e, c)
	}
}

func (n *Notifier) call(e entry, c Config) {
	defer func() {
		if v := recover(); v != nil {
			log.Printf("hook %s: %v", e.name, v)
		}
	}()
	e.fn(c)
}

// Names returns the names of the hooks in call order.
func (n *Notifier) Names() []string {
	var names []string
	for _, e := range n.snapshot() {
		names = append(names, e.name)
	}
	return names
}
