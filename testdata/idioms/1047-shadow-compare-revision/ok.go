// Package shadow stores the desired settings of devices.
package shadow

import (
	"errors"
	"maps"
	"sync"
)

// Errors returned by Store.
var (
	ErrConflict = errors.New("shadow: document was changed meanwhile")
	ErrTooBusy  = errors.New("shadow: too many conflicts")
)

// Doc is a set of settings and its revision. Revision zero means that there
// is no document.
type Doc struct {
	Rev      uint64
	Settings map[string]string
}

// Store holds documents by device.
type Store struct {
	mu   sync.Mutex
	seq  uint64 // never reused, not even after Delete
	docs map[string]Doc
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{docs: make(map[string]Doc)} }

// Get returns a copy of the document.
func (s *Store) Get(device string) Doc {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[device]
	return Doc{Rev: d.Rev, Settings: maps.Clone(d.Settings)}
}

// Put replaces the document if it still has the revision of d.
func (s *Store) Put(device string, d Doc) (uint64, error) {
	own := maps.Clone(d.Settings)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[device].Rev != d.Rev {
		return 0, ErrConflict
	}
	s.seq++
	s.docs[device] = Doc{Rev: s.seq, Settings: own}
	return s.seq, nil
}

// Delete removes the document.
func (s *Store) Delete(device string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.docs, device)
}

// Update applies change to the settings. As change may be slow and may call
// the store, it runs without the lock, and possibly more than once.
func (s *Store) Update(device string, change func(map[string]string) error) (uint64, error) {
	for range 32 {
		d := s.Get(device)
		if d.Settings == nil {
			d.Settings = make(map[string]string)
		}
		if err := change(d.Settings); err != nil {
			return 0, err
		}
		rev, err := s.Put(device, d)
		if !errors.Is(err, ErrConflict) {
			return rev, err
		}
	}
	return 0, ErrTooBusy
}
