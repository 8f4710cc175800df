// Package a shares layer mounts between containers.
package a

import (
	"errors"
	"fmt"
	"log"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var (
	ErrClosed  = errors.New("mounts: manager closed")
	ErrBusy    = errors.New("mounts: mounts in use")
	ErrBadName = errors.New("mounts: empty layer name")
)

// Mounter does the system calls.
type Mounter interface {
	Mount(layer, target string) error
	Unmount(target string) error
}

// Mount is a mounted layer. Each mount has a target directory of its own,
// which is never used again.
type Mount struct {
	layer  string
	target string
	refs   atomic.Int32
}

// Target is the directory at which the layer can be read.
func (m *Mount) Target() string { return m.target }

// Manager keeps the mounts of a node.
type Manager struct {
	root string
	sys  Mounter

	mu     sync.RWMutex
	mounts map[string]*Mount // by layer
	seq    uint64
	closed bool

	shared  atomic.Int64
	created atomic.Int64
	failed  atomic.Int64
}

// NewManager mounts below root.
func NewManager(root string, sys Mounter) *Manager {
	return &Manager{root: root, sys: sys, mounts: make(map[string]*Mount)}
}

// Acquire returns the mount of a layer; the caller must Release it.
func (g *Manager) Acquire(layer string) (*Mount, error) {
	if layer == "" {
		return nil, ErrBadName
	}
	g.mu.RLock()
	if m, ok := g.mounts[layer]; ok {
		m.refs.Add(1)
		g.mu.RUnlock()
		g.shared.Add(1)
		return m, nil
	}
	g.mu.RUnlock()

	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	if m, ok := g.mounts[layer]; ok {
		m.refs.Add(1)
		g.shared.Add(1)
		return m, nil
	}
	g.seq++
	m := &Mount{layer: layer, target: filepath.Join(g.root, fmt.Sprintf("%s.%d", layer, g.seq))}
	if err := g.sys.Mount(layer, m.target); err != nil {
		g.failed.Add(1)
		return nil, fmt.Errorf("mounts: %s: %w", layer, err)
	}
	m.refs.Store(1)
	g.mounts[layer] = m
	g.created.Add(1)
	return m, nil
}

// Release gives a reference back; the last one unmounts the layer.
func (g *Manager) Release(m *Mount) error {
	n := m.refs.Add(-1)
	if n > 0 {
		return nil
	}
	if n < 0 {
		panic("mounts: release of an unused mount " + m.layer)
	}

	g.mu.Lock()
	delete(g.mounts, m.layer)
	g.mu.Unlock()

	if err := g.sys.Unmount(m.target); err != nil {
		g.failed.Add(1)
		log.Printf("mounts: unmount of %s: %v", m.target, err)
		return err
	}
	return nil
}

// Layers lists the mounted layers with their users, for debugging.
func (g *Manager) Layers() map[string]int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := make(map[string]int, len(g.mounts))
	for name, m := range g.mounts {
		out[name] = int(m.refs.Load())
	}
	return out
}

// Close refuses new mounts; it fails while there are mounts in the table.
func (g *Manager) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.mounts) > 0 {
		return ErrBusy
	}
	g.closed = true
	return nil
}

// Stats returns the counters.
func (g *Manager) Stats() (shared, created, failed int64) {
	return g.shared.Load(), g.created.Load(), g.failed.Load()
}
