// Package chainstore keeps recent blocks of a chain in memory and moves final
// ones to an append-only archive.
package chainstore

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrNotFound is returned for a height without a block.
	ErrNotFound = errors.New("chainstore: block not found")
	// ErrFinal is returned for a change below the final height.
	ErrFinal = errors.New("chainstore: height is final")
)

// Block is a block; it is never changed.
type Block struct {
	Number uint64
	Hash   string
	Body   []byte
}

// Archive stores final blocks. Blocks can be read once Append has returned.
type Archive interface {
	Append(*Block) error
	Block(number uint64) (*Block, error)
}

// Store is used by the importer, the RPC server and the freezer at once.
type Store struct {
	archive Archive
	frozen  atomic.Uint64 // all heights up to it are in the archive
	wake    chan struct{}

	mu     sync.RWMutex
	recent map[uint64]*Block
	sealed uint64 // heights up to it are final
}

// Open returns a store whose archive ends at the given height.
func Open(archive Archive, height uint64) *Store {
	s := &Store{
		archive: archive,
		wake:    make(chan struct{}, 1),
		recent:  make(map[uint64]*Block),
		sealed:  height,
	}
	s.frozen.Store(height)
	return s
}

// Insert adds a block or replaces the one at its height in a reorganisation.
func (s *Store) Insert(b *Block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Number <= s.sealed {
		return ErrFinal
	}
	s.recent[b.Number] = b
	return nil
}

// Finalize declares all heights up to n final.
func (s *Store) Finalize(n uint64) error {
	s.mu.Lock()
	for i := s.sealed + 1; i <= n; i++ {
		if s.recent[i] == nil {
			s.mu.Unlock()
			return fmt.Errorf("%w: %d", ErrNotFound, i)
		}
	}
	s.sealed = max(s.sealed, n)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

func (s *Store) lookup(n uint64) *Block {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.recent[n]
}

// Block returns the block at a height.
func (s *Store) Block(n uint64) (*Block, error) {
	if n <= s.frozen.Load() {
		return s.archive.Block(n)
	}
	if b := s.lookup(n); b != nil {
		return b, nil
	}
	if n <= s.frozen.Load() {
		return s.archive.Block(n)
	}
	return nil, ErrNotFound
}

// Freeze moves final blocks to the archive until the context ends. A store
// has one freezer.
func (s *Store) Freeze(ctx context.Context, retry time.Duration) {
	for {
		err := s.freezeSealed(ctx)
		if err != nil {
			log.Printf("chainstore: freeze: %v", err)
		}
		var again <-chan time.Time
		if err != nil {
			again = time.After(retry)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-s.wake:
		}
	}
}

func (s *Store) freezeSealed(ctx context.Context) error {
	s.mu.RLock()
	limit := s.sealed
	s.mu.RUnlock()
	for n := s.frozen.Load() + 1; n <= limit && ctx.Err() == nil; n++ {
		if err := s.archive.Append(s.lookup(n)); err != nil {
			return err
		}
		s.frozen.Store(n)
		s.mu.Lock()
		delete(s.recent, n)
		s.mu.Unlock()
	}
	return nil
}
