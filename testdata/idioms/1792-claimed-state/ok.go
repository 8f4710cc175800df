// Package a assembles uploads that arrive in parts.
package a

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var (
	ErrNoUpload = errors.New("uploads: no such upload")
	ErrBusy     = errors.New("uploads: upload is being assembled")
	ErrExists   = errors.New("uploads: id is in use")
)

// Part is a piece of the file that lies in the object store.
type Part struct {
	Number int
	Key    string
}

// ObjectStore joins parts to one object.
type ObjectStore interface {
	Compose(ctx context.Context, target string, keys []string) error
}

type phase int

const (
	open phase = iota
	assembling
)

type upload struct {
	target string
	phase  phase
	parts  []Part
}

// Uploads is the list of uploads that are under way.
type Uploads struct {
	store ObjectStore

	mu   sync.Mutex
	byID map[string]*upload
}

// NewUploads returns an empty list.
func NewUploads(store ObjectStore) *Uploads {
	return &Uploads{store: store, byID: make(map[string]*upload)}
}

// Begin opens an upload.
func (u *Uploads) Begin(id, target string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.byID[id]; ok {
		return ErrExists
	}
	u.byID[id] = &upload{target: target}
	return nil
}

// openLocked returns an upload that may be changed. u.mu must be held.
func (u *Uploads) openLocked(id string) (*upload, error) {
	up, ok := u.byID[id]
	if !ok {
		return nil, ErrNoUpload
	}
	if up.phase != open {
		return nil, ErrBusy
	}
	return up, nil
}

// AddPart notes a part that has arrived; a later one with the same number
// replaces it.
func (u *Uploads) AddPart(id string, p Part) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	up, err := u.openLocked(id)
	if err != nil {
		return err
	}
	up.parts = slices.DeleteFunc(up.parts, func(q Part) bool { return q.Number == p.Number })
	up.parts = append(up.parts, p)
	return nil
}

// Abort gives an upload up.
func (u *Uploads) Abort(id string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, err := u.openLocked(id); err != nil {
		return err
	}
	delete(u.byID, id)
	return nil
}

// Complete joins the parts. If that fails, the upload is open again.
func (u *Uploads) Complete(ctx context.Context, id string) error {
	u.mu.Lock()
	up, err := u.openLocked(id)
	if err != nil {
		u.mu.Unlock()
		return err
	}
	up.phase = assembling
	parts := slices.Clone(up.parts)
	u.mu.Unlock()

	slices.SortFunc(parts, func(a, b Part) int { return a.Number - b.Number })
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = p.Key
	}
	err = u.store.Compose(ctx, up.target, keys)

	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		up.phase = open
		return err
	}
	delete(u.byID, id)
	return nil
}

// Len returns the number of uploads under way.
func (u *Uploads) Len() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.byID)
}
