// Package fix keeps the most recent snapshot of a replicated log in memory.
package fix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrClosed is returned by sinks that have been closed or canceled.
var ErrClosed = errors.New("snapshot: the sink is closed")

// Meta describes a snapshot.
type Meta struct {
	ID          string
	Index, Term uint64
	Size        int64
}

// snapshot is a complete snapshot.
type snapshot struct {
	meta     Meta
	contents *bytes.Buffer
}

// Store retains only the most recent snapshot. It is safe for concurrent use.
type Store struct {
	mu     sync.RWMutex
	latest *snapshot
}

// NewStore returns an empty store.
func NewStore() *Store { return new(Store) }

// Create returns a sink for a new snapshot. It replaces the old one when the
// sink is closed.
func (st *Store) Create(index, term uint64) *Sink {
	return &Sink{
		store: st,
		snap: &snapshot{
			meta:     Meta{ID: fmt.Sprintf("%d-%d", term, index), Index: index, Term: term},
			contents: new(bytes.Buffer),
		},
	}
}

// List returns the snapshots that can be opened.
func (st *Store) List() []Meta {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if st.latest == nil {
		return nil
	}
	return []Meta{st.latest.meta}
}

// Open returns the contents of the snapshot with the id.
func (st *Store) Open(id string) (Meta, io.ReadCloser, error) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if st.latest == nil || st.latest.meta.ID != id {
		return Meta{}, nil, fmt.Errorf("snapshot: failed to open %s", id)
	}
	// A buffer can only be read once, so every caller gets one of its own.
	contents := bytes.NewBuffer(st.latest.contents.Bytes())
	return st.latest.meta, io.NopCloser(contents), nil
}

// Sink receives a snapshot. It is used by one goroutine.
type Sink struct {
	store *Store
	snap  *snapshot
}

// Write appends to the snapshot.
func (s *Sink) Write(p []byte) (int, error) {
	if s.snap == nil {
		return 0, ErrClosed
	}
	n, err := s.snap.contents.Write(p)
	s.snap.meta.Size += int64(n)
	return n, err
}

// Close makes the snapshot the latest one unless there is a newer one.
func (s *Sink) Close() error {
	if s.snap == nil {
		return ErrClosed
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if l := s.store.latest; l == nil || l.meta.Index <= s.snap.meta.Index {
		s.store.latest = s.snap
	}
	s.snap = nil
	return nil
}

// Cancel drops the snapshot.
func (s *Sink) Cancel() { s.snap = nil }

// Peer receives snapshots.
type Peer interface {
	InstallSnapshot(m Meta, r io.Reader) error
}

// SendLatest sends the latest snapshot to a follower that is too far behind.
// There is a replication goroutine for every follower.
func SendLatest(st *Store, p Peer) error {
	list := st.List()
	if len(list) == 0 {
		return errors.New("snapshot: none to send")
	}
	meta, r, err := st.Open(list[0].ID)
	if err != nil {
		return err
	}
	defer r.Close()
	return p.InstallSnapshot(meta, io.LimitReader(r, meta.Size))
}
