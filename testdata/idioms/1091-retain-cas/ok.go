// Correct: a segment may be dropped between lookup and retain, but tryRetain
// raises the count by compare-and-swap and never from zero, so a dead segment
// is not brought back. As it was out of the map before its count could reach
// zero, looking it up again ends the loop.
package blocks

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrNoBlock is returned for unknown blocks.
var ErrNoBlock = errors.New("no such block")

// File is a block's file.
type File interface {
	io.ReaderAt
	io.Closer
}

type block struct {
	file File
	size int64
	refs atomic.Int64
}

func (b *block) tryRetain() bool {
	for {
		n := b.refs.Load()
		if n == 0 {
			return false
		}
		if b.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (b *block) release() {
	if b.refs.Add(-1) == 0 {
		b.file.Close()
	}
}

// Set is a set of blocks.
type Set struct {
	mu     sync.RWMutex
	blocks map[string]*block
}

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{blocks: make(map[string]*block)}
}

// Put adds a block, or replaces the one with the same id.
func (s *Set) Put(id string, f File, size int64) {
	b := &block{file: f, size: size}
	b.refs.Store(1)
	s.mu.Lock()
	old := s.blocks[id]
	s.blocks[id] = b
	s.mu.Unlock()
	if old != nil {
		old.release()
	}
}

// Drop removes a block. Readers that have it open keep it.
func (s *Set) Drop(id string) bool {
	s.mu.Lock()
	b := s.blocks[id]
	delete(s.blocks, id)
	s.mu.Unlock()
	if b == nil {
		return false
	}
	b.release()
	return true
}

func (s *Set) lookup(id string) *block {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.blocks[id]
}

// Reader reads one block; it has to be closed.
type Reader struct {
	*io.SectionReader
	once sync.Once
	b    *block
}

// Close lets go of the block.
func (r *Reader) Close() error {
	r.once.Do(r.b.release)
	return nil
}

// Open returns a reader of a block.
func (s *Set) Open(id string) (*Reader, error) {
	for {
		b := s.lookup(id)
		if b == nil {
			return nil, ErrNoBlock
		}
		if b.tryRetain() {
			return &Reader{SectionReader: io.NewSectionReader(b.file, 0, b.size), b: b}, nil
		}
	}
}
