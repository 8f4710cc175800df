// Package uploads implements multipart uploads of an object store.
package uploads

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Errors reported to the client.
var (
	ErrNoUpload = errors.New("uploads: no such upload")
	ErrNotOpen  = errors.New("uploads: upload is being finished")
)

// Blobs is the storage underneath. Compose concatenates parts into an object.
type Blobs interface {
	Write(name string, r io.Reader) (etag string, err error)
	Compose(object string, parts []string) error
	Remove(name string) error
}

type state int

const (
	open state = iota
	composing
	completed
	aborted
)

type part struct {
	blob string
	etag string
}

type upload struct {
	object string

	mu    sync.Mutex
	state state
	parts map[int]part
}

// Manager keeps the uploads that are under way. Every request is served by a
// goroutine of its own.
type Manager struct {
	blobs Blobs
	seq   atomic.Uint64

	mu      sync.Mutex
	uploads map[string]*upload
}

// NewManager returns a manager without uploads.
func NewManager(b Blobs) *Manager {
	return &Manager{blobs: b, uploads: make(map[string]*upload)}
}

// Create starts an upload and returns its id.
func (m *Manager) Create(object string) string {
	id := fmt.Sprintf("u%08x", m.seq.Add(1))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uploads[id] = &upload{object: object, parts: make(map[int]part)}
	return id
}

func (m *Manager) find(id string) (*upload, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, ok := m.uploads[id]
	if !ok {
		return nil, ErrNoUpload
	}
	return u, nil
}

// PutPart stores one part; a part that is sent again replaces the first.
func (m *Manager) PutPart(id string, n int, r io.Reader) (string, error) {
	u, err := m.find(id)
	if err != nil {
		return "", err
	}
	blob := fmt.Sprintf("%s.%d.%x", id, n, m.seq.Add(1))
	etag, err := m.blobs.Write(blob, r)
	if err != nil {
		return "", err
	}
	u.mu.Lock()
	if u.state != open {
		u.mu.Unlock()
		_ = m.blobs.Remove(blob)
		return "", ErrNotOpen
	}
	old, replaced := u.parts[n]
	u.parts[n] = part{blob: blob, etag: etag}
	u.mu.Unlock()
	if replaced {
		_ = m.blobs.Remove(old.blob)
	}
	return etag, nil
}

// collect checks the client's list of etags and returns the blobs in order. The
// upload takes no parts and cannot be aborted until its state changes again.
func (u *upload) collect(etags []string) ([]string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.state != open {
		return nil, ErrNotOpen
	}
	names := make([]string, 0, len(etags))
	for i, want := range etags {
		p, ok := u.parts[i+1]
		if !ok || p.etag != want {
			return nil, fmt.Errorf("uploads: part %d does not match", i+1)
		}
		names = append(names, p.blob)
	}
	u.state = composing
	return names, nil
}

func (u *upload) mark(s state) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state = s
}

// Complete assembles the object from the parts that the client lists.
func (m *Manager) Complete(id string, etags []string) error {
	u, err := m.find(id)
	if err != nil {
		return err
	}
	names, err := u.collect(etags)
	if err != nil {
		return err
	}
	if err := m.blobs.Compose(u.object, names); err != nil {
		u.mark(open)
		return fmt.Errorf("uploads: complete %s: %w", id, err)
	}
	u.mark(completed)
	m.discard(id, u)
	return nil
}

// Abort gives an upload up.
func (m *Manager) Abort(id string) error {
	u, err := m.find(id)
	if err != nil {
		return err
	}
	u.mu.Lock()
	if u.state != open {
		u.mu.Unlock()
		return ErrNotOpen
	}
	u.state = aborted
	u.mu.Unlock()
	m.discard(id, u)
	return nil
}

// discard forgets a finished upload and removes its parts.
func (m *Manager) discard(id string, u *upload) {
	m.mu.Lock()
	delete(m.uploads, id)
	m.mu.Unlock()

	u.mu.Lock()
	parts := u.parts
	u.parts = nil
	u.mu.Unlock()
	for _, p := range parts {
		_ = m.blobs.Remove(p.blob)
	}
}
