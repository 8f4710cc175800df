// Package ok manages named streams.
package ok

import (
	"context"
	"errors"
	"sync"
)

// Errors of the manager.
var (
	ErrAlreadyExists = errors.New("already exists")
	ErrNotFound      = errors.New("not found")
)

// Stream is used to send and receive objects.
type Stream interface {
	Send(v any) error
	Close() error
}

// CollectionContext manages a resource collection during a single run of
// the garbage collector.
type CollectionContext interface {
	// All returns all resources
	All(fn func(ns, name string))
	// Remove marks the resource as removed
	Remove(ns, name string)
	// Cancel is called to cleanup a context after a failed collection
	Cancel() error
	// Finish is called to cleanup a context after a successful collection
	Finish() error
}

type streamManager struct {
	streams map[string]map[string]*managedStream
	rwlock  sync.RWMutex
}

// NewManager returns a manager without streams.
func NewManager() *streamManager {
	return &streamManager{streams: make(map[string]map[string]*managedStream)}
}

// Register adds a stream.
func (sm *streamManager) Register(ctx context.Context, ns, name string, stream Stream) error {
	ms := &managedStream{Stream: stream, ns: ns, name: name, manager: sm}

	sm.rwlock.Lock()
	defer sm.rwlock.Unlock()
	nsMap, ok := sm.streams[ns]
	if !ok {
		nsMap = make(map[string]*managedStream)
		sm.streams[ns] = nsMap
	}
	if _, ok := nsMap[name]; ok {
		return ErrAlreadyExists
	}
	nsMap[name] = ms
	return nil
}

// Get finds a stream.
func (sm *streamManager) Get(ctx context.Context, ns, name string) (Stream, error) {
	sm.rwlock.RLock()
	defer sm.rwlock.RUnlock()
	stream, ok := sm.streams[ns][name]
	if !ok {
		return nil, ErrNotFound
	}
	return stream, nil
}

// StartCollection stops all changes until the collection ends.
func (sm *streamManager) StartCollection(ctx context.Context) (CollectionContext, error) {
	// lock now and collection will unlock on cancel or finish
	sm.rwlock.Lock()

	return &collectionContext{manager: sm}, nil
}

type managedStream struct {
	Stream

	ns      string
	name    string
	manager *streamManager
}

func (m *managedStream) Close() error {
	m.manager.rwlock.Lock()
	if nsMap, ok := m.manager.streams[m.ns]; ok {
		// A stream of the same name may have been registered since.
		if nsMap[m.name] == m {
			delete(nsMap, m.name)
		}
		if len(nsMap) == 0 {
			delete(m.manager.streams, m.ns)
		}
	}
	m.manager.rwlock.Unlock()
	return m.Stream.Close()
}

type collectionContext struct {
	manager *streamManager
	removed []*managedStream
}

func (cc *collectionContext) All(fn func(ns, name string)) {
	for ns, nsMap := range cc.manager.streams {
		for name := range nsMap {
			fn(ns, name)
		}
	}
}

func (cc *collectionContext) Remove(ns, name string) {
	if s, ok := cc.manager.streams[ns][name]; ok {
		delete(cc.manager.streams[ns], name)
		cc.removed = append(cc.removed, s)
	}
}

func (cc *collectionContext) Cancel() error {
	for _, s := range cc.removed {
		cc.restore(s)
	}
	cc.manager.rwlock.Unlock()
	return nil
}

func (cc *collectionContext) restore(s *managedStream) {
	cc.manager.streams[s.ns][s.name] = s
}

func (cc *collectionContext) Finish() (err error) {
	cc.manager.rwlock.Unlock()
	for _, s := range cc.removed {
		if cerr := s.Stream.Close(); cerr != nil {
			err = errors.Join(err, cerr)
		}
	}
	cc.removed = nil
	return err
}

// collect is one run of the collector.
func collect(ctx context.Context, sm *streamManager, used func(ns, name string) bool) error {
	cc, err := sm.StartCollection(ctx)
	if err != nil {
		return err
	}
	var unused [][2]string
	cc.All(func(ns, name string) {
		if !used(ns, name) {
			unused = append(unused, [2]string{ns, name})
		}
	})
	if ctx.Err() != nil {
		return cc.Cancel()
	}
	for _, u := range unused {
		cc.Remove(u[0], u[1])
	}
	return cc.Finish()
}
