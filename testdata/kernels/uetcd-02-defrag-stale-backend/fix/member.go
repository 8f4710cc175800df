// Package fix is a cluster member that applies entries and snapshots.
package fix

import (
	"log"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/uetcd-02-defrag-stale-backend/fix/store"
)

// Entry is one committed write.
type Entry struct {
	Key   string
	Value []byte
}

// Update is what the consensus layer hands over.
type Update struct {
	Snapshot string // path of a received database file, or empty
	Entries  []Entry
}

// Member applies updates to its store.
type Member struct {
	updates <-chan Update
	done    chan struct{}

	beMu sync.RWMutex
	be   *store.Store
}

// Start runs a member on the store be.
func Start(be *store.Store, updates <-chan Update) *Member {
	m := &Member{updates: updates, done: make(chan struct{}), be: be}
	go m.run()
	return m
}

// Backend returns the current store.
func (m *Member) Backend() *store.Store {
	m.beMu.RLock()
	defer m.beMu.RUnlock()
	return m.be
}

// Defragment rewrites the current store, which is not replaced meanwhile.
func (m *Member) Defragment() error {
	m.beMu.Lock()
	defer m.beMu.Unlock()
	return m.be.Defrag()
}

func (m *Member) run() {
	defer close(m.done)
	for u := range m.updates {
		if u.Snapshot != "" {
			m.applySnapshot(u.Snapshot)
		}
		m.applyEntries(u.Entries)
	}
}

func (m *Member) applyEntries(entries []Entry) {
	be := m.Backend()
	for _, e := range entries {
		if err := be.Put(e.Key, e.Value); err != nil {
			log.Printf("applying %q: %v", e.Key, err)
		}
	}
}

// applySnapshot replaces the store by a received one.
func (m *Member) applySnapshot(path string) {
	m.beMu.Lock()
	next, err := store.Open(path)
	if err != nil {
		log.Panicf("opening snapshot %s: %v", path, err)
	}
	old := m.be
	m.be = next
	m.beMu.Unlock()

	// Closing the old store may block until its transactions are done,
	// so it is not waited for.
	go func() {
		if err := old.Close(); err != nil {
			log.Printf("closing %s: %v", old.Path, err)
		}
	}()
}

// Wait blocks until all updates were applied.
func (m *Member) Wait() { <-m.done }

// Maintenance answers operator requests.
type Maintenance struct {
	m *Member
}

// NewMaintenance returns the maintenance service of m.
func NewMaintenance(m *Member) *Maintenance { return &Maintenance{m: m} }

// Defragment rewrites the database file without the free pages.
func (s *Maintenance) Defragment() error {
	log.Print("starting defragmentation")
	err := s.m.Defragment()
	if err != nil {
		log.Printf("defragmentation failed: %v", err)
		return err
	}
	log.Print("finished defragmentation")
	return nil
}
