// Package assemble completes multipart uploads.
package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

var (
	ErrNoUpload = errors.New("assemble: no such upload")
	ErrBusy     = errors.New("assemble: upload is being completed")
	ErrMissing  = errors.New("assemble: missing part")
)

type phase int

const (
	open phase = iota
	completing
)

// Part is a stored part.
type Part struct {
	Number int
	Key    string
	ETag   string
}

type upload struct {
	object string
	phase  phase
	parts  []Part
}

// Backend joins and removes parts.
type Backend interface {
	Concat(ctx context.Context, object string, keys []string) error
	Remove(ctx context.Context, keys ...string)
}

// Uploads holds the uploads of one bucket.
type Uploads struct {
	be Backend

	mu  sync.Mutex
	all map[string]*upload
}

// New returns an empty set.
func New(be Backend) *Uploads { return &Uploads{be: be, all: make(map[string]*upload)} }

// Open starts an upload.
func (u *Uploads) Open(id, object string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.all[id]; !ok {
		u.all[id] = &upload{object: object}
	}
}

// Attach adds a part that has been stored; the caller removes the part if it
// is refused.
func (u *Uploads) Attach(id string, p Part) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	up, err := u.openLocked(id)
	if err != nil {
		return err
	}
	up.parts = append(up.parts, p)
	return nil
}

func (u *Uploads) openLocked(id string) (*upload, error) {
	up, ok := u.all[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoUpload, id)
	}
	if up.phase != open {
		return nil, fmt.Errorf("%w: %s", ErrBusy, id)
	}
	return up, nil
}

func (u *Uploads) begin(id string) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up, err := u.openLocked(id)
	if err != nil {
		return nil, err
	}
	up.phase = completing
	return up, nil
}

func (u *Uploads) reopen(up *upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up.phase = open
}

func (u *Uploads) remove(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, id)
}

// plan returns the keys of the parts 1..n; the last part with a number wins.
func (up *upload) plan(n int) (keys, unused []string, err error) {
	keys = make([]string, n)
	for _, p := range up.parts {
		if p.Number < 1 || p.Number > n {
			unused = append(unused, p.Key)
			continue
		}
		if old := keys[p.Number-1]; old != "" {
			unused = append(unused, old)
		}
		keys[p.Number-1] = p.Key
	}
	if i := slices.Index(keys, ""); i >= 0 {
		return nil, nil, fmt.Errorf("%w: %d", ErrMissing, i+1)
	}
	return keys, unused, nil
}

// Complete joins the parts 1..n of an upload.
func (u *Uploads) Complete(ctx context.Context, id string, n int) error {
	up, err := u.begin(id)
	if err != nil {
		return err
	}
	keys, unused, err := up.plan(n)
	if err == nil {
		err = u.be.Concat(ctx, up.object, keys)
	}
	if err != nil {
		u.reopen(up)
		return err
	}
	u.remove(id)
	u.be.Remove(ctx, unused...)
	return nil
}

// Abort drops an upload that nobody completes.
func (u *Uploads) Abort(ctx context.Context, id string) error {
	up, err := u.begin(id)
	if err != nil {
		return err
	}
	u.remove(id)
	for _, p := range up.parts {
		u.be.Remove(ctx, p.Key)
	}
	return nil
}
