// Package multipart implements multipart uploads of an object store.
package multipart

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

var (
	ErrNoSuchUpload = errors.New("multipart: no such upload")
	ErrBadPart      = errors.New("multipart: part number out of range")
	ErrNoParts      = errors.New("multipart: upload has no parts")
)

// Blobs stores the bytes of parts.
type Blobs interface {
	Write(ctx context.Context, r io.Reader) (key string, size int64, err error)
	Delete(ctx context.Context, key string) error
}

// Manifests makes finished objects visible.
type Manifests interface {
	Publish(ctx context.Context, object string, keys []string) error
}

type part struct {
	key  string
	size int64
}

type upload struct {
	id      string
	object  string
	started time.Time
	parts   map[int]part
}

// Service keeps the uploads in progress.
type Service struct {
	blobs     Blobs
	manifests Manifests

	mu      sync.Mutex
	uploads map[string]*upload
}

// New returns a service without uploads.
func New(b Blobs, m Manifests) *Service {
	return &Service{blobs: b, manifests: m, uploads: make(map[string]*upload)}
}

// Create starts an upload of object and returns its id.
func (s *Service) Create(object string) string {
	up := &upload{id: rand.Text(), object: object, started: time.Now(), parts: make(map[int]part)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads[up.id] = up
	return up.id
}

func (s *Service) lookup(id string) (*upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	up, ok := s.uploads[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoSuchUpload, id)
	}
	return up, nil
}

// UploadPart stores part n; a part that is sent again replaces the old one.
func (s *Service) UploadPart(ctx context.Context, id string, n int, r io.Reader) error {
	if n < 1 || n > 10000 {
		return fmt.Errorf("%w: %d", ErrBadPart, n)
	}
	up, err := s.lookup(id)
	if err != nil {
		return err
	}
	key, size, err := s.blobs.Write(ctx, r)
	if err != nil {
		return fmt.Errorf("multipart: part %d of %s: %w", n, id, err)
	}
	old, err := s.attach(up, n, part{key, size})
	if err != nil {
		s.discard(ctx, key)
		return err
	}
	if old != "" {
		s.discard(ctx, old)
	}
	return nil
}

// attach adds a part and returns the key of the one it replaces.
func (s *Service) attach(up *upload, n int, p part) (replaced string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uploads[up.id] != up {
		return "", fmt.Errorf("%w: %s", ErrNoSuchUpload, up.id)
	}
	replaced = up.parts[n].key
	up.parts[n] = p
	return replaced, nil
}

// remove ends an upload and returns its object and its parts in order.
func (s *Service) remove(id string) (object string, keys []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	up, ok := s.uploads[id]
	if !ok {
		return "", nil, fmt.Errorf("%w: %s", ErrNoSuchUpload, id)
	}
	delete(s.uploads, id)
	for _, n := range slices.Sorted(maps.Keys(up.parts)) {
		keys = append(keys, up.parts[n].key)
	}
	return up.object, keys, nil
}

// Complete publishes the object from the parts that have been stored.
func (s *Service) Complete(ctx context.Context, id string) error {
	object, keys, err := s.remove(id)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return ErrNoParts
	}
	return s.manifests.Publish(ctx, object, keys)
}

// Abort gives up an upload and frees its parts.
func (s *Service) Abort(ctx context.Context, id string) error {
	_, keys, err := s.remove(id)
	if err != nil {
		return err
	}
	for _, k := range keys {
		s.discard(ctx, k)
	}
	return nil
}

func (s *Service) discard(ctx context.Context, key string) {
	if err := s.blobs.Delete(context.WithoutCancel(ctx), key); err != nil {
		slog.Error("blob left behind", "key", key, "err", err)
	}
}
