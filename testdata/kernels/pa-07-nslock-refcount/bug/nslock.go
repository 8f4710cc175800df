package nslock

import (
	"context"
	"fmt"
	"io"
	"path"
	"sync"
	"sync/atomic"
)

// nsEntry is the lock of one object and the number of those who want it.
type nsEntry struct {
	sync.RWMutex
	refs atomic.Int32
}

func (e *nsEntry) retain()       { e.refs.Add(1) }
func (e *nsEntry) release() bool { return e.refs.Add(-1) == 0 }

// NSLock locks objects by bucket and name.
type NSLock struct {
	mu      sync.Mutex
	entries map[string]*nsEntry
}

// New returns a lock set.
func New() *NSLock { return &NSLock{entries: make(map[string]*nsEntry)} }

func (n *NSLock) entry(key string) *nsEntry {
	n.mu.Lock()
	defer n.mu.Unlock()
	e, ok := n.entries[key]
	if !ok {
		e = new(nsEntry)
		n.entries[key] = e
	}
	return e
}

func (n *NSLock) lock(bucket, object string, readOnly bool) (unlock func()) {
	key := path.Join(bucket, object)
	e := n.entry(key)
	e.retain()
	if readOnly {
		e.RLock()
		return func() { e.RUnlock(); n.put(key, e) }
	}
	e.Lock()
	return func() { e.Unlock(); n.put(key, e) }
}

func (n *NSLock) put(key string, e *nsEntry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.release() {
		delete(n.entries, key)
	}
}

// Disk is the storage below the object layer.
type Disk interface {
	ReadFile(p string) ([]byte, error)
	WriteParts(p string, r io.Reader) (size int64, err error)
	WriteMeta(p string, m Meta) error
	ReadMeta(p string) (Meta, error)
	Remove(p string) error
}

// Meta is the metadata of an object.
type Meta struct {
	Size int64
	Tags map[string]string
}

// Objects is the object layer. Its methods are called by request handlers.
type Objects struct {
	disk Disk
	ns   *NSLock
}

// NewObjects returns an object layer on d.
func NewObjects(d Disk) *Objects { return &Objects{disk: d, ns: New()} }

// Put stores an object.
func (o *Objects) Put(ctx context.Context, bucket, object string, r io.Reader, tags map[string]string) (Meta, error) {
	defer o.ns.lock(bucket, object, false)()
	if err := ctx.Err(); err != nil {
		return Meta{}, err
	}
	p := path.Join(bucket, object)
	size, err := o.disk.WriteParts(p, r)
	if err != nil {
		return Meta{}, fmt.Errorf("put %s: %w", p, err)
	}
	m := Meta{Size: size, Tags: tags}
	if err := o.disk.WriteMeta(p, m); err != nil {
		return Meta{}, fmt.Errorf("put %s: %w", p, err)
	}
	return m, nil
}

// Get reads an object.
func (o *Objects) Get(ctx context.Context, bucket, object string) ([]byte, Meta, error) {
	defer o.ns.lock(bucket, object, true)()
	if err := ctx.Err(); err != nil {
		return nil, Meta{}, err
	}
	p := path.Join(bucket, object)
	m, err := o.disk.ReadMeta(p)
	if err != nil {
		return nil, Meta{}, err
	}
	b, err := o.disk.ReadFile(p)
	return b, m, err
}

// Delete removes an object.
func (o *Objects) Delete(_ context.Context, bucket, object string) error {
	defer o.ns.lock(bucket, object, false)()
	return o.disk.Remove(path.Join(bucket, object))
}
