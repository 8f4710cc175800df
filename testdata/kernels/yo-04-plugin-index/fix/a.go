// Package plugin keeps the loaded plugins and spreads calls over them.
package plugin

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

var ErrNone = errors.New("plugin: none loaded")

type Plugin interface {
	Name() string
	Call(ctx context.Context, req []byte) ([]byte, error)
}

// table is the ordered list of plugins.
type table struct {
	sync.RWMutex
	list []Plugin
}

// pick maps any turn to a plugin, or nil if there is none.
func (t *table) pick(turn uint64) Plugin {
	t.RLock()
	defer t.RUnlock()
	if len(t.list) == 0 {
		return nil
	}
	return t.list[int(turn%uint64(len(t.list)))]
}

func (t *table) add(p Plugin) bool {
	t.Lock()
	defer t.Unlock()
	for _, q := range t.list {
		if q.Name() == p.Name() {
			return false
		}
	}
	t.list = append(t.list, p)
	return true
}

func (t *table) drop(name string) bool {
	t.Lock()
	defer t.Unlock()
	before := len(t.list)
	t.list = slices.DeleteFunc(t.list, func(p Plugin) bool { return p.Name() == name })
	return len(t.list) < before
}

type Registry struct {
	plugins table
	turn    atomic.Uint64
	calls   atomic.Int64
}

func New(ps ...Plugin) *Registry {
	r := &Registry{}
	for _, p := range ps {
		r.plugins.add(p)
	}
	return r
}

func (r *Registry) Load(p Plugin) error {
	if !r.plugins.add(p) {
		return errors.New("plugin: already loaded: " + p.Name())
	}
	return nil
}

// Unload may be called by an operator at any time.
func (r *Registry) Unload(name string) bool { return r.plugins.drop(name) }

// next picks plugins in turn.
func (r *Registry) next() (Plugin, error) {
	p := r.plugins.pick(r.turn.Add(1))
	if p == nil {
		return nil, ErrNone
	}
	return p, nil
}

func (r *Registry) Invoke(ctx context.Context, req []byte) ([]byte, error) {
	p, err := r.next()
	if err != nil {
		return nil, err
	}
	r.calls.Add(1)
	return p.Call(ctx, req)
}

func (r *Registry) Calls() int64 { return r.calls.Load() }
