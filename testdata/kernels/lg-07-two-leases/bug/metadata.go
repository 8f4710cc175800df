package ctr

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errNotFound      = errors.New("not found")
	errAlreadyExists = errors.New("already exists")
)

const (
	labelGCContent  = "containerd.io/gc.ref.content."
	labelGCSnapshot = "containerd.io/gc.ref.snapshot"
)

type leaseKey struct{}

// withLeaseID sets a given lease on the context
func withLeaseID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, leaseKey{}, id)
}

// leaseFromContext returns the lease from the context.
func leaseFromContext(ctx context.Context) (string, bool) {
	id, ok := ctx.Value(leaseKey{}).(string)
	return id, ok
}

type blob struct {
	data   []byte
	labels map[string]string
}

type snap struct {
	parent    string
	committed bool
}

// DB is the metadata store. Resources that are not referenced by an image or
// by a lease are removed by the garbage collector.
type DB struct {
	mu        sync.Mutex
	seq       int
	images    map[string]string // name -> digest of the manifest
	blobs     map[string]*blob
	snapshots map[string]*snap
	leases    map[string]map[string]struct{} // id -> gc nodes
}

func NewDB() *DB {
	m := &DB{
		images:    make(map[string]string),
		blobs:     make(map[string]*blob),
		snapshots: make(map[string]*snap),
		leases:    make(map[string]map[string]struct{}),
	}
	return m
}

// Run collects the garbage from time to time.
func (m *DB) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.GarbageCollect()
		case <-ctx.Done():
			return
		}
	}
}

// addLease adds a resource to the lease of the context. m.mu must be held.
func (m *DB) addLease(ctx context.Context, node string) error {
	id, ok := leaseFromContext(ctx)
	if !ok {
		return nil
	}
	l, ok := m.leases[id]
	if !ok {
		return fmt.Errorf("lease %q: %w", id, errNotFound)
	}
	l[node] = struct{}{}
	return nil
}

func (m *DB) CreateLease() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq++
	id := fmt.Sprintf("lease-%d", m.seq)
	m.leases[id] = make(map[string]struct{})
	return id
}

func (m *DB) DeleteLease(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.leases[id]; !ok {
		return errNotFound
	}
	delete(m.leases, id)
	return nil
}

// WriteBlob stores content.
func (m *DB) WriteBlob(ctx context.Context, dgst string, data []byte, labels map[string]string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.addLease(ctx, "content/"+dgst); err != nil {
		return err
	}
	if _, ok := m.blobs[dgst]; ok {
		return nil
	}
	m.blobs[dgst] = &blob{data: data, labels: labels}
	return nil
}

func (m *DB) ReadBlob(dgst string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[dgst]
	if !ok {
		return nil, fmt.Errorf("content %v: %w", dgst, errNotFound)
	}
	return b.data, nil
}

// SetLabel sets a label of a blob.
func (m *DB) SetLabel(dgst, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[dgst]
	if !ok {
		return fmt.Errorf("content %v: %w", dgst, errNotFound)
	}
	b.labels[key] = value
	return nil
}

// SetImage creates the image or moves it to a new target.
func (m *DB) SetImage(name, target string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[target]; !ok {
		return fmt.Errorf("content %v: %w", target, errNotFound)
	}
	m.images[name] = target
	return nil
}

func (m *DB) DeleteImage(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.images[name]; !ok {
		return errNotFound
	}
	delete(m.images, name)
	return nil
}

// Prepare creates an active snapshot from which target will be committed. If
// target exists already it is added to the lease and errAlreadyExists is returned.
func (m *DB) Prepare(ctx context.Context, key, parent, target string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.snapshots[target]; ok && s.committed {
		if err := m.addLease(ctx, "snapshot/"+target); err != nil {
			return err
		}
		return errAlreadyExists
	}
	if parent != "" {
		if s, ok := m.snapshots[parent]; !ok || !s.committed {
			return fmt.Errorf("parent snapshot %v: %w", parent, errNotFound)
		}
	}
	if _, ok := m.snapshots[key]; ok {
		return errAlreadyExists
	}
	if err := m.addLease(ctx, "snapshot/"+key); err != nil {
		return err
	}
	m.snapshots[key] = &snap{parent: parent}
	return nil
}

// Commit turns an active snapshot into a committed one. If name exists already
// the active snapshot is dropped.
func (m *DB) Commit(ctx context.Context, name, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.snapshots[key]
	if !ok || s.committed {
		return fmt.Errorf("snapshot %v: %w", key, errNotFound)
	}
	if err := m.addLease(ctx, "snapshot/"+name); err != nil {
		return err
	}
	delete(m.snapshots, key)
	if _, ok := m.snapshots[name]; !ok {
		m.snapshots[name] = &snap{parent: s.parent, committed: true}
	}
	return nil
}

func (m *DB) RemoveSnapshot(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.snapshots, key)
}

// GarbageCollect removes resources that are no longer used.
func (m *DB) GarbageCollect() {
	m.mu.Lock()
	defer m.mu.Unlock()
	marked := make(map[string]struct{})
	for _, target := range m.images {
		m.mark(marked, "content/"+target)
	}
	for _, nodes := range m.leases {
		for n := range nodes {
			m.mark(marked, n)
		}
	}
	for dgst := range m.blobs {
		if _, ok := marked["content/"+dgst]; !ok {
			delete(m.blobs, dgst)
		}
	}
	for key := range m.snapshots {
		if _, ok := marked["snapshot/"+key]; !ok {
			delete(m.snapshots, key)
		}
	}
}

// mark marks a node and all that it references. m.mu must be held.
func (m *DB) mark(marked map[string]struct{}, node string) {
	if _, ok := marked[node]; ok {
		return
	}
	marked[node] = struct{}{}
	if b, ok := m.blobs[trim(node, "content/")]; ok {
		for k, v := range b.labels {
			if len(k) > len(labelGCContent) && k[:len(labelGCContent)] == labelGCContent {
				m.mark(marked, "content/"+v)
			} else if k == labelGCSnapshot {
				m.mark(marked, "snapshot/"+v)
			}
		}
	}
	if s, ok := m.snapshots[trim(node, "snapshot/")]; ok && s.parent != "" {
		m.mark(marked, "snapshot/"+s.parent)
	}
}

func trim(node, prefix string) string {
	if len(node) > len(prefix) && node[:len(prefix)] == prefix {
		return node[len(prefix):]
	}
	return ""
}
