// Package fix runs the synchronized folders of this device.
package fix

import (
	"fmt"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/st-07-restartfolder-stale-fileset/fix/db"
)

// Folder is the configuration of a folder.
type Folder struct {
	ID     string
	Paused bool
	// Scan delivers the sizes of files that turn up in the folder.
	Scan <-chan int64
}

// scanner counts the files of one folder.
type scanner struct {
	stop chan struct{}
	done chan struct{}
}

func (sc *scanner) serve(scan <-chan int64, counter *db.Counter) {
	defer close(sc.done)
	for {
		select {
		case <-sc.stop:
			return
		case size := <-scan:
			counter.Add(size)
		}
	}
}

// Manager owns the folders.
type Manager struct {
	store *db.Store

	// lifecycle is held while a folder is added, restarted or removed. mu
	// alone does not do because it is not held while a scanner winds down.
	lifecycle sync.Mutex

	mu       sync.RWMutex
	folders  map[string]Folder
	counters map[string]*db.Counter
	scanners map[string]*scanner
}

// NewManager returns a manager without folders.
func NewManager(store *db.Store) *Manager {
	return &Manager{
		store:    store,
		folders:  make(map[string]Folder),
		counters: make(map[string]*db.Counter),
		scanners: make(map[string]*scanner),
	}
}

// Add takes in a folder and starts it.
func (m *Manager) Add(f Folder) error {
	m.lifecycle.Lock()
	defer m.lifecycle.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.folders[f.ID]; ok {
		return fmt.Errorf("folder %s exists", f.ID)
	}
	m.launchLocked(f, db.NewCounter(f.ID, m.store))
	return nil
}

// Restart replaces a running folder by one with a new configuration.
func (m *Manager) Restart(f Folder) {
	m.lifecycle.Lock()
	defer m.lifecycle.Unlock()

	m.stop(f.ID)

	m.mu.Lock()
	defer m.mu.Unlock()
	counter := m.counters[f.ID]
	m.forgetLocked(f.ID)
	if !f.Paused {
		if counter == nil {
			counter = db.NewCounter(f.ID, m.store)
		}
		m.launchLocked(f, counter)
	}
}

// Remove stops a folder and deletes its part of the database.
func (m *Manager) Remove(id string) {
	m.lifecycle.Lock()
	defer m.lifecycle.Unlock()
	m.stop(id)
	m.mu.Lock()
	m.forgetLocked(id)
	m.mu.Unlock()
	m.store.Drop(id)
}

// Summary returns the totals of a folder.
func (m *Manager) Summary(id string) (db.Totals, bool) {
	m.mu.RLock()
	counter, ok := m.counters[id]
	m.mu.RUnlock()
	if !ok {
		return db.Totals{}, false
	}
	return counter.Summary(), true
}

func (m *Manager) launchLocked(f Folder, counter *db.Counter) {
	sc := &scanner{stop: make(chan struct{}), done: make(chan struct{})}
	m.folders[f.ID] = f
	m.counters[f.ID] = counter
	m.scanners[f.ID] = sc
	go sc.serve(f.Scan, counter)
}

// stop waits until the scanner of a folder has ended.
func (m *Manager) stop(id string) {
	m.mu.RLock()
	sc := m.scanners[id]
	m.mu.RUnlock()
	if sc != nil {
		close(sc.stop)
		<-sc.done
	}
}

func (m *Manager) forgetLocked(id string) {
	delete(m.folders, id)
	delete(m.counters, id)
	delete(m.scanners, id)
}
