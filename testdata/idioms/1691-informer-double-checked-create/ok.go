// Package a shares one informer per resource kind.
package a

import (
	"sort"
	"sync"
)

// Informer follows one resource kind.
type Informer struct {
	kind string

	mu       sync.Mutex
	handlers []func(obj string)
}

// AddHandler registers a callback for changed objects.
func (i *Informer) AddHandler(h func(obj string)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handlers = append(i.handlers, h)
}

func (i *Informer) dispatch(obj string) {
	i.mu.Lock()
	handlers := i.handlers[:len(i.handlers):len(i.handlers)]
	i.mu.Unlock()
	for _, h := range handlers {
		h(obj)
	}
}

// Factory creates informers on demand and never drops one.
type Factory struct {
	mu        sync.RWMutex
	informers map[string]*Informer
}

func NewFactory() *Factory {
	return &Factory{informers: make(map[string]*Informer)}
}

// lookup returns the informer of a kind, or nil.
func (f *Factory) lookup(kind string) *Informer {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.informers[kind]
}

// InformerFor returns the informer of a kind.
func (f *Factory) InformerFor(kind string) *Informer {
	if inf := f.lookup(kind); inf != nil {
		return inf
	}
	return f.create(kind)
}

func (f *Factory) create(kind string) *Informer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if inf, ok := f.informers[kind]; ok {
		return inf
	}
	inf := &Informer{kind: kind}
	f.informers[kind] = inf
	return inf
}

// Notify tells the handlers of a kind about a changed object.
func (f *Factory) Notify(kind, obj string) {
	if inf := f.lookup(kind); inf != nil {
		inf.dispatch(obj)
	}
}

// Kinds lists the known kinds.
func (f *Factory) Kinds() []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	out := make([]string, 0, len(f.informers))
	for k := range f.informers {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
