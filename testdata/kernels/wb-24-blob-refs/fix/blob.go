// Package blob shares blobs that live outside of the Go heap.
package blob

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrExists means that there is a blob of this name.
var ErrExists = errors.New("blob: exists")

// Memory is where the blobs live.
type Memory interface {
	Map(data []byte) []byte
	Unmap(region []byte)
}

// Blob has at least one reference as long as it is used.
type Blob struct {
	id     string
	store  *Store
	region []byte
	refs   atomic.Int32
}

// Store finds blobs by name. It is used by all connections.
type Store struct {
	mem   Memory
	blobs sync.Map // of *Blob by string
	bytes atomic.Int64
}

func NewStore(mem Memory) *Store { return &Store{mem: mem} }

// Put makes a blob. The caller owns the first reference.
func (s *Store) Put(id string, data []byte) (*Blob, error) {
	b := &Blob{id: id, store: s, region: s.mem.Map(data)}
	b.refs.Store(1)
	if _, loaded := s.blobs.LoadOrStore(id, b); loaded {
		s.mem.Unmap(b.region)
		return nil, ErrExists
	}
	s.bytes.Add(int64(len(b.region)))
	return b, nil
}

// Acquire returns a blob with one more reference.
func (s *Store) Acquire(id string) (*Blob, bool) {
	v, ok := s.blobs.Load(id)
	if !ok {
		return nil, false
	}
	b := v.(*Blob)
	for {
		n := b.refs.Load()
		if n == 0 {
			return nil, false
		}
		if b.refs.CompareAndSwap(n, n+1) {
			return b, true
		}
	}
}

// Bytes returns the content, which is there until Release.
func (b *Blob) Bytes() []byte { return b.region }

// Release drops a reference. The last one frees the blob.
func (b *Blob) Release() {
	if b.refs.Add(-1) > 0 {
		return
	}
	b.store.blobs.CompareAndDelete(b.id, b)
	b.store.bytes.Add(-int64(len(b.region)))
	b.store.mem.Unmap(b.region)
}

// Size returns the size of all blobs.
func (s *Store) Size() int64 { return s.bytes.Load() }
