// Package arena stores small blobs, such as the thumbnails of a synchronised
// folder, in large packs and compacts packs that hold mostly dead records.
package arena

import (
	"errors"
	"sync"
)

// ErrNotFound is returned for a name without a blob.
var ErrNotFound = errors.New("arena: not found")

// Store maps names to blobs. All methods are safe for concurrent use.
type Store struct {
	index *index
	packs *packSet

	writes    sync.RWMutex // shared by writers, exclusive for sealing a pack
	repacking sync.Mutex   // one compaction at a time
}

// New returns an empty store with packs of about packSize bytes.
func New(packSize int) *Store {
	return &Store{index: newIndex(), packs: newPackSet(packSize)}
}

// Put stores a blob and replaces the previous one of the same name.
func (s *Store) Put(name string, blob []byte) {
	s.writes.RLock()
	defer s.writes.RUnlock()
	loc := s.packs.append(name, blob)
	s.index.set(name, loc)
}

// Get returns a copy of the blob of name.
func (s *Store) Get(name string) ([]byte, error) {
	for {
		loc, ok := s.index.get(name)
		if !ok {
			return nil, ErrNotFound
		}
		if blob, ok := s.packs.read(loc); ok {
			return blob, nil
		}
		// The pack was compacted away since; the index knows the new place.
	}
}

// Delete removes the blob of name. It reports whether there was one.
func (s *Store) Delete(name string) bool {
	return s.index.delete(name)
}

// Compact rewrites the sealed packs in which less than minLive of the bytes
// are still referenced. It returns the number of packs removed.
func (s *Store) Compact(minLive float64) int {
	s.repacking.Lock()
	defer s.repacking.Unlock()
	s.seal()
	removed := 0
	for _, p := range s.packs.sealed() {
		if s.liveShare(p) >= minLive {
			continue
		}
		for _, rec := range p.records {
			s.rewrite(p, rec)
		}
		s.packs.drop(p.id)
		removed++
	}
	return removed
}

// seal starts a new pack. No writer is in the middle of a Put at that time,
// so a sealed pack is complete and its records are indexed.
func (s *Store) seal() {
	s.writes.Lock()
	defer s.writes.Unlock()
	s.packs.roll()
}

// liveShare estimates which part of a pack is still referenced.
func (s *Store) liveShare(p *pack) float64 {
	if len(p.data) == 0 {
		return 0
	}
	live := 0
	for _, rec := range p.records {
		if loc, ok := s.index.get(rec.name); ok && loc == rec.loc {
			live += loc.size
		}
	}
	return float64(live) / float64(len(p.data))
}

// rewrite copies a record of a sealed pack to the current pack if it is live.
func (s *Store) rewrite(p *pack, rec record) {
	loc, ok := s.index.get(rec.name)
	if !ok || loc != rec.loc {
		return
	}
	blob := p.data[loc.off : loc.off+loc.size]
	moved := s.packs.append(rec.name, blob)
	s.index.replace(rec.name, loc, moved)
}
