// Package mirror keeps a local copy of the control plane's store for the
// name server, which must answer while the control plane is away.
package mirror

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/yg-04-watch-gap/fix/kv"
)

const watchBuffer = 256

var errLagging = errors.New("mirror: watch overflowed")

// Source is the store that is mirrored.
type Source interface {
	ListWatch(buffer int) (map[string]string, *kv.Watcher)
}

// Mirror may be read by several goroutines while Run keeps it current.
type Mirror struct {
	src Source

	mu   sync.RWMutex
	data map[string]string
}

// New returns a mirror that is filled once Run is started.
func New(src Source) *Mirror {
	return &Mirror{src: src, data: make(map[string]string)}
}

// Start runs the mirror in the background until ctx ends. It is called once.
func (m *Mirror) Start(ctx context.Context) {
	go m.run(ctx)
}

// Get returns the mirrored value of key.
func (m *Mirror) Get(key string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.data[key]
	return v, ok
}

func (m *Mirror) run(ctx context.Context) {
	for {
		err := m.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		log.Printf("mirror: resyncing: %v", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// follow loads the current contents and then applies changes until the
// watch breaks.
func (m *Mirror) follow(ctx context.Context) error {
	data, w := m.src.ListWatch(watchBuffer)
	defer w.Stop()
	m.reset(data)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case ev, ok := <-w.C:
			if !ok {
				return errLagging
			}
			m.apply(ev)
		}
	}
}

func (m *Mirror) reset(data map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data = data
}

func (m *Mirror) apply(ev kv.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ev.Deleted {
		delete(m.data, ev.Key)
		return
	}
	m.data[ev.Key] = ev.Value
}
