// Package puller pulls container images into a content-addressed layer store
// and collects layers that no image uses.
package puller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// ErrNotPulled is returned for images that are not here.
var ErrNotPulled = errors.New("puller: image not pulled")

// Registry serves manifests and layers.
type Registry interface {
	Layers(ctx context.Context, image string) ([]string, error)
	Fetch(ctx context.Context, digest string) (io.ReadCloser, error)
}

// Disk unpacks and deletes layers. Unpacking a layer that is there does nothing.
type Disk interface {
	Unpack(digest string, r io.Reader) error
	Delete(digest string) error
}

// layerStore knows which layers are unpacked.
type layerStore struct {
	mu      sync.Mutex
	present map[string]time.Time
}

func (s *layerStore) has(digest string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.present[digest]
	return ok
}

func (s *layerStore) add(digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present[digest] = time.Now()
}

func (s *layerStore) remove(digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.present, digest)
}

func (s *layerStore) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.present))
	for d := range s.present {
		out = append(out, d)
	}
	return out
}

// refTable knows which images use which layers.
type refTable struct {
	mu     sync.Mutex
	images map[string][]string
	count  map[string]int
}

func (t *refTable) retain(image string, digests []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range digests {
		t.count[d]++
	}
	t.dropLocked(image)
	t.images[image] = digests
}

func (t *refTable) release(image string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.images[image]
	t.dropLocked(image)
	return ok
}

func (t *refTable) dropLocked(image string) {
	for _, d := range t.images[image] {
		if t.count[d]--; t.count[d] == 0 {
			delete(t.count, d)
		}
	}
	delete(t.images, image)
}

func (t *refTable) used(digest string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count[digest] > 0
}

// Puller pulls images of one node.
type Puller struct {
	reg    Registry
	disk   Disk
	layers layerStore
	refs   refTable
}

// New returns a puller with an empty store.
func New(reg Registry, disk Disk) *Puller {
	return &Puller{
		reg:    reg,
		disk:   disk,
		layers: layerStore{present: make(map[string]time.Time)},
		refs:   refTable{images: make(map[string][]string), count: make(map[string]int)},
	}
}

// Pull makes image available.
func (p *Puller) Pull(ctx context.Context, image string) error {
	digests, err := p.reg.Layers(ctx, image)
	if err != nil {
		return fmt.Errorf("manifest of %s: %w", image, err)
	}
	for _, d := range digests {
		if err := p.ensure(ctx, d); err != nil {
			return fmt.Errorf("layer %s of %s: %w", d, image, err)
		}
	}
	p.refs.retain(image, digests)
	return nil
}

func (p *Puller) ensure(ctx context.Context, digest string) error {
	if p.layers.has(digest) {
		return nil
	}
	rc, err := p.reg.Fetch(ctx, digest)
	if err != nil {
		return err
	}
	defer rc.Close()
	if err := p.disk.Unpack(digest, rc); err != nil {
		return err
	}
	p.layers.add(digest)
	return nil
}

// Remove gives up an image; its layers go with the next collection.
func (p *Puller) Remove(image string) error {
	if !p.refs.release(image) {
		return fmt.Errorf("%w: %s", ErrNotPulled, image)
	}
	return nil
}

// Collect deletes the layers that no image uses. It is called by one timer.
func (p *Puller) Collect() (n int) {
	for _, d := range p.layers.list() {
		if p.refs.used(d) {
			continue
		}
		p.layers.remove(d)
		if err := p.disk.Delete(d); err != nil {
			slog.Error("layer not deleted", "digest", d, "err", err)
			continue
		}
		n++
	}
	return n
}
