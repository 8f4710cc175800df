// Package chunkstore stores the content-addressed chunks of the backup
// server. New chunks are kept in memory; the oldest ones are moved to a
// compressed tier when memory runs short. Chunks are never changed or deleted.
package chunkstore

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// ErrNotFound is returned for a chunk that was never put. A restore that gets
// it marks the whole backup as damaged.
var ErrNotFound = errors.New("chunkstore: no such chunk")

// Digest is the address of a chunk.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:8]) }

// hotTier keeps chunks as they are.
type hotTier struct {
	mu     sync.RWMutex
	chunks map[Digest][]byte
	order  []Digest // oldest first
	size   int64
}

func (t *hotTier) get(d Digest) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	data, ok := t.chunks[d]
	return data, ok
}

func (t *hotTier) put(d Digest, data []byte) (size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.chunks[d]; !ok {
		t.chunks[d] = data
		t.order = append(t.order, d)
		t.size += int64(len(data))
	}
	return t.size
}

// oldest returns the chunk that has to go if the tier is larger than limit.
func (t *hotTier) oldest(limit int64) (Digest, []byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.size <= limit || len(t.order) == 0 {
		return Digest{}, nil, false
	}
	d := t.order[0]
	return d, t.chunks[d], true
}

// drop removes the chunk, which is the oldest one.
func (t *hotTier) drop(d Digest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size -= int64(len(t.chunks[d]))
	delete(t.chunks, d)
	t.order = t.order[1:]
}

// coldTier keeps chunks compressed.
type coldTier struct {
	mu     sync.RWMutex
	chunks map[Digest][]byte
}

func (t *coldTier) get(d Digest) ([]byte, bool, error) {
	t.mu.RLock()
	packed, ok := t.chunks[d]
	t.mu.RUnlock()
	if !ok {
		return nil, false, nil
	}
	data, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, true, fmt.Errorf("chunkstore: unpack %s: %w", d, err)
	}
	return data, true, nil
}

func (t *coldTier) put(d Digest, packed []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.chunks[d] = packed
}

// Store is the chunk store. It is safe for concurrent use.
type Store struct {
	hot   hotTier
	cold  coldTier
	limit int64
	log   *slog.Logger
	kick  chan struct{}
	wg    sync.WaitGroup
}

// Open returns an empty store which keeps about limit bytes uncompressed.
func Open(limit int64, log *slog.Logger) *Store {
	s := &Store{
		hot:   hotTier{chunks: make(map[Digest][]byte)},
		cold:  coldTier{chunks: make(map[Digest][]byte)},
		limit: limit,
		log:   log,
		kick:  make(chan struct{}, 1),
	}
	s.wg.Go(s.demoteLoop)
	return s
}

// Put stores a chunk and returns its address.
func (s *Store) Put(data []byte) Digest {
	d := Digest(sha256.Sum256(data))
	if size := s.hot.put(d, bytes.Clone(data)); size > s.limit {
		select {
		case s.kick <- struct{}{}:
		default:
		}
	}
	return d
}

// Get returns the chunk at d. The caller does not change it.
func (s *Store) Get(d Digest) ([]byte, error) {
	if data, ok := s.hot.get(d); ok {
		return data, nil
	}
	data, ok, err := s.cold.get(d)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%w: %s", ErrNotFound, d)
	}
	return data, nil
}

// Close stops the demotion. Put must not be called any more.
func (s *Store) Close() {
	close(s.kick)
	s.wg.Wait()
}

// demoteLoop is the only place where chunks leave the hot tier.
func (s *Store) demoteLoop() {
	for range s.kick {
		for {
			d, data, ok := s.hot.oldest(s.limit)
			if !ok {
				break
			}
			s.demote(d, data)
		}
	}
}

// demote moves the oldest chunk to the cold tier. It leaves the hot tier last,
// so that Get finds it in one of them at any time.
func (s *Store) demote(d Digest, data []byte) {
	packed := pack(data)
	s.cold.put(d, packed)
	s.hot.drop(d)
	s.log.Debug("chunk demoted", "chunk", d, "from", len(data), "to", len(packed))
}

// pack compresses data; writing to a buffer can not fail.
func pack(data []byte) []byte {
	var buf bytes.Buffer
	w, _ := flate.NewWriter(&buf, flate.BestSpeed)
	w.Write(data)
	w.Close()
	return buf.Bytes()
}
