// Package mirror keeps a local copy of package archives with their checksums.
package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrChecksum says that upstream delivered something else than the index promises.
var ErrChecksum = errors.New("mirror: checksum mismatch")

// Upstream fetches archives.
type Upstream interface {
	Fetch(ctx context.Context, pkg string) ([]byte, error)
}

// Disk is where archives are kept.
type Disk interface {
	Write(name string, data []byte) error
	Remove(name string) error
}

type blob struct {
	pkg      string
	sum      string
	size     int64
	refs     int
	lastUsed time.Time
}

func (b *blob) path() string { return b.pkg + "@" + b.sum }

// Handle is an archive in use; Close it.
type Handle struct {
	Path string
	m    *Mirror
	b    *blob
	once sync.Once
}

// Mirror is a cache of archives.
type Mirror struct {
	up   Upstream
	disk Disk
	keep time.Duration
	now  func() time.Time

	mu    sync.Mutex
	blobs map[string]*blob
	bytes int64
}

// New returns a mirror which keeps unused archives for the given time.
func New(up Upstream, disk Disk, keep time.Duration) *Mirror {
	return &Mirror{up: up, disk: disk, keep: keep, now: time.Now, blobs: make(map[string]*blob)}
}

// Open returns the archive of pkg, fetching it when needed.
func (m *Mirror) Open(ctx context.Context, pkg, sum string) (*Handle, error) {
	if h := m.lookup(pkg, sum); h != nil {
		return h, nil
	}
	data, err := m.up.Fetch(ctx, pkg)
	if err != nil {
		return nil, fmt.Errorf("mirror: fetch %s: %w", pkg, err)
	}
	digest := sha256.Sum256(data)
	if hex.EncodeToString(digest[:]) != sum {
		return nil, ErrChecksum
	}
	return m.admit(pkg, sum, data)
}

func (m *Mirror) lookup(pkg, sum string) *Handle {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[pkg]
	if !ok || b.sum != sum {
		return nil
	}
	return m.use(b)
}

// use is called with m.mu held.
func (m *Mirror) use(b *blob) *Handle {
	b.refs++
	b.lastUsed = m.now()
	return &Handle{Path: b.path(), m: m, b: b}
}

func (m *Mirror) admit(pkg, sum string, data []byte) (*Handle, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.blobs[pkg]; ok {
		if b.sum == sum {
			return m.use(b), nil
		}
		return nil, ErrChecksum
	}
	b := &blob{pkg: pkg, sum: sum, size: int64(len(data))}
	if err := m.disk.Write(b.path(), data); err != nil {
		return nil, err
	}
	m.blobs[pkg] = b
	m.bytes += b.size
	return m.use(b), nil
}

// Close gives the archive back.
func (h *Handle) Close() {
	h.once.Do(func() {
		h.m.mu.Lock()
		defer h.m.mu.Unlock()
		h.b.refs--
		h.b.lastUsed = h.m.now()
	})
}

// Size returns the bytes kept at the moment.
func (m *Mirror) Size() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// Run evicts archives until ctx is done.
func (m *Mirror) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			m.evictOnce()
		}
	}
}

func (m *Mirror) evictOnce() (n int) {
	for _, b := range m.idle(m.now().Add(-m.keep)) {
		if m.drop(b) {
			n++
		}
	}
	return n
}

func (m *Mirror) idle(before time.Time) []*blob {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*blob
	for _, b := range m.blobs {
		if b.refs == 0 && b.lastUsed.Before(before) {
			out = append(out, b)
		}
	}
	return out
}

func (m *Mirror) drop(b *blob) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs[b.pkg] != b || b.refs > 0 {
		return false
	}
	if err := m.disk.Remove(b.path()); err != nil {
		return false
	}
	m.bytes -= b.size
	delete(m.blobs, b.pkg)
	return true
}
