// Package fix keeps a local copy of remote objects.
package fix

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errRunning = errors.New("mirror is running")
	errTwice   = errors.New("mirror was started before")
)

// Object is a remote object.
type Object struct {
	Key  string
	Rev  int64
	Body map[string]string
}

// ConvertFunc changes an object before it is stored.
type ConvertFunc func(*Object) (*Object, error)

// FaultFunc is told about objects that could not be converted.
type FaultFunc func(error)

// Feed yields objects until it is exhausted.
type Feed interface {
	Next(ctx context.Context) (*Object, error)
}

type table struct {
	mu   sync.RWMutex
	objs map[string]*Object
}

func (t *table) put(o *Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.objs[o.Key]; old != nil && old.Rev >= o.Rev {
		return
	}
	t.objs[o.Key] = o
}

func (t *table) get(key string) (*Object, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	o, ok := t.objs[key]
	return o, ok
}

type pumpConfig struct {
	feed    Feed
	convert ConvertFunc
	fault   FaultFunc
	sink    *table
}

// pump moves objects from the feed to the table.
type pump struct {
	cfg   pumpConfig
	moved atomic.Int64
}

func newPump(cfg pumpConfig) *pump { return &pump{cfg: cfg} }

func (p *pump) run(ctx context.Context) error {
	for {
		o, err := p.cfg.feed.Next(ctx)
		if err != nil {
			return err
		}
		if p.cfg.convert != nil {
			if o, err = p.cfg.convert(o); err != nil {
				if p.cfg.fault != nil {
					p.cfg.fault(err)
				}
				continue
			}
		}
		p.cfg.sink.put(o)
		p.moved.Add(1)
	}
}

// Mirror is the local copy of a feed.
type Mirror struct {
	feed  Feed
	store *table
	taken atomic.Bool

	mu      sync.Mutex
	started bool
	stopped bool
	pump    *pump
	convert ConvertFunc
	fault   FaultFunc
}

// NewMirror returns a mirror that is not running.
func NewMirror(f Feed) *Mirror {
	return &Mirror{feed: f, store: &table{objs: make(map[string]*Object)}}
}

// SetConvert sets the function that changes objects. It fails once the
// mirror is running.
func (m *Mirror) SetConvert(f ConvertFunc) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started {
		return errRunning
	}
	m.convert = f
	return nil
}

// SetFault sets the function that is told about faults. It fails once the
// mirror is running.
func (m *Mirror) SetFault(f FaultFunc) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started {
		return errRunning
	}
	m.fault = f
	return nil
}

// Run fills the mirror until ctx ends or the feed fails.
func (m *Mirror) Run(ctx context.Context) error {
	if !m.taken.CompareAndSwap(false, true) {
		return errTwice
	}

	func() {
		m.mu.Lock()
		defer m.mu.Unlock()

		cfg := pumpConfig{
			feed:    m.feed,
			convert: m.convert,
			fault:   m.fault,
			sink:    m.store,
		}
		m.pump = newPump(cfg)
		m.started = true
	}()

	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.stopped = true
	}()
	return m.pump.run(ctx)
}

// Moved returns the number of objects that were stored.
func (m *Mirror) Moved() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pump == nil {
		return 0
	}
	return m.pump.moved.Load()
}

// Stopped reports whether Run has returned.
func (m *Mirror) Stopped() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stopped
}

// Get returns a copy of the object with a key.
func (m *Mirror) Get(key string) (Object, bool) {
	o, ok := m.store.get(key)
	if !ok {
		return Object{}, false
	}
	return *o, true
}
