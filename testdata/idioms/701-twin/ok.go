// Package twin is a registry of device twins with optimistic writes.
package twin

import (
	"errors"
	"maps"
	"sync"
	"time"
)

// Errors of the registry.
var (
	ErrUnknown  = errors.New("twin: unknown device")
	ErrConflict = errors.New("twin: too many conflicts")
)

// Doc is the state of one device. Docs in the registry are immutable.
type Doc struct {
	ID    string
	Rev   int64
	Props map[string]string
}

// Registry keeps twins.
type Registry struct {
	mu   sync.RWMutex
	docs map[string]*Doc

	seenMu sync.Mutex
	seen   map[string]time.Time

	subMu sync.RWMutex
	subs  []func(*Doc)
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{docs: make(map[string]*Doc), seen: make(map[string]time.Time)}
}

// Get returns the twin of a device.
func (r *Registry) Get(id string) (*Doc, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	d, ok := r.docs[id]
	if !ok {
		return nil, ErrUnknown
	}
	return d, nil
}

func (r *Registry) swap(old, next *Doc) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.docs[next.ID] != old {
		return false
	}
	r.docs[next.ID] = next
	return true
}

// Register makes sure that a device has a twin.
func (r *Registry) Register(id string) *Doc {
	if d, err := r.Get(id); err == nil {
		return d
	}
	fresh := &Doc{ID: id, Rev: 1, Props: map[string]string{}}
	if r.swap(nil, fresh) {
		r.publish(fresh)
		return fresh
	}
	d, err := r.Get(id)
	if err != nil {
		return fresh
	}
	return d
}

// Update edits the properties of a device.
func (r *Registry) Update(id string, edit func(props map[string]string) bool) (*Doc, error) {
	for attempt := 0; attempt < 50; attempt++ {
		cur, err := r.Get(id)
		if err != nil {
			return nil, err
		}
		next := &Doc{ID: id, Rev: cur.Rev + 1, Props: maps.Clone(cur.Props)}
		if !edit(next.Props) {
			return cur, nil
		}
		if r.swap(cur, next) {
			r.publish(next)
			return next, nil
		}
	}
	return nil, ErrConflict
}

// Set is Update of one property.
func (r *Registry) Set(id, key, value string) error {
	_, err := r.Update(id, func(p map[string]string) bool {
		if p[key] == value {
			return false
		}
		p[key] = value
		return true
	})
	return err
}

func (r *Registry) lastSeen(id string) time.Time {
	r.seenMu.Lock()
	defer r.seenMu.Unlock()
	return r.seen[id]
}

// Touch notes that a device was heard; most calls come in bursts and change nothing.
func (r *Registry) Touch(id string, at time.Time) {
	if at.Sub(r.lastSeen(id)) < time.Second {
		return
	}
	r.seenMu.Lock()
	defer r.seenMu.Unlock()
	if at.After(r.seen[id]) {
		r.seen[id] = at
	}
}

// Silent lists devices which were not heard since a time.
func (r *Registry) Silent(since time.Time) []string {
	r.mu.RLock()
	ids := make([]string, 0, len(r.docs))
	for id := range r.docs {
		ids = append(ids, id)
	}
	r.mu.RUnlock()
	var out []string
	for _, id := range ids {
		if r.lastSeen(id).Before(since) {
			out = append(out, id)
		}
	}
	return out
}

// Subscribe adds a listener for changes. Listeners may be called out of order and compare revisions.
func (r *Registry) Subscribe(fn func(*Doc)) {
	r.subMu.Lock()
	defer r.subMu.Unlock()
	r.subs = append(r.subs[:len(r.subs):len(r.subs)], fn)
}

func (r *Registry) publish(d *Doc) {
	r.subMu.RLock()
	subs := r.subs
	r.subMu.RUnlock()
	for _, fn := range subs {
		fn(d)
	}
}
