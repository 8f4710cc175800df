package a

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

var errFilterNotFound = errors.New("filter not found")

const filterTickerTime = 5 * time.Minute

// Hash is a block hash.
type Hash [32]byte

// Block is the part of a block that filters look at.
type Block struct{ Hash Hash }

// Filter is installed in the FilterSystem.
type Filter struct {
	created       time.Time
	blockCallback func(*Block)
}

// FilterSystem dispatches chain events to the installed filters.
type FilterSystem struct {
	filterMu     sync.RWMutex
	filterID     int
	chainFilters map[int]*Filter
}

func (fs *FilterSystem) Lock()   { fs.filterMu.Lock() }
func (fs *FilterSystem) Unlock() { fs.filterMu.Unlock() }

// add installs the filter; the system must be locked.
func (fs *FilterSystem) add(f *Filter) int {
	id := fs.filterID
	fs.chainFilters[id] = f
	fs.filterID++
	f.created = time.Now()
	return id
}

// remove uninstalls the filter; the system must be locked.
func (fs *FilterSystem) remove(id int) {
	delete(fs.chainFilters, id)
}

// filterLoop delivers the blocks to the filters.
func (fs *FilterSystem) filterLoop(events <-chan *Block) {
	for b := range events {
		fs.filterMu.RLock()
		for _, f := range fs.chainFilters {
			f.blockCallback(b)
		}
		fs.filterMu.RUnlock()
	}
}

type hashQueue struct {
	hashes  []Hash
	timeout time.Time
}

// PublicFilterAPI offers polling filters to clients.
type PublicFilterAPI struct {
	filterManager *FilterSystem

	filterMapMu   sync.RWMutex
	filterMapping map[string]int

	blockMu    sync.RWMutex
	blockQueue map[int]*hashQueue
}

func newFilterID() (string, error) {
	var subid [16]byte
	if _, err := rand.Read(subid[:]); err != nil {
		return "", errors.New("unable to generate filter id")
	}
	return "0x" + hex.EncodeToString(subid[:]), nil
}

// NewBlockFilter creates a new filter that returns the blocks that are
// included into the chain from now on.
func (s *PublicFilterAPI) NewBlockFilter() (string, error) {
	externalID, err := newFilterID()
	if err != nil {
		return "", err
	}
	filter := new(Filter)
	s.filterManager.Lock()
	id := s.filterManager.add(filter)
	s.filterManager.Unlock()

	s.blockMu.Lock()
	s.blockQueue[id] = &hashQueue{timeout: time.Now()}
	s.blockMu.Unlock()

	callback := func(block *Block) {
		s.blockMu.Lock()
		defer s.blockMu.Unlock()
		if queue := s.blockQueue[id]; queue != nil {
			queue.hashes = append(queue.hashes, block.Hash)
		}
	}
	s.filterManager.Lock()
	filter.blockCallback = callback
	s.filterManager.Unlock()

	s.filterMapMu.Lock()
	s.filterMapping[externalID] = id
	s.filterMapMu.Unlock()
	return externalID, nil
}

// GetFilterChanges returns the hashes since the last call.
func (s *PublicFilterAPI) GetFilterChanges(externalID string) ([]Hash, error) {
	s.filterMapMu.RLock()
	id, ok := s.filterMapping[externalID]
	s.filterMapMu.RUnlock()
	if !ok {
		return nil, errFilterNotFound
	}
	s.blockMu.Lock()
	defer s.blockMu.Unlock()
	queue := s.blockQueue[id]
	if queue == nil {
		return nil, errFilterNotFound
	}
	hashes := queue.hashes
	queue.hashes, queue.timeout = nil, time.Now()
	return hashes, nil
}

// expire drops the filters that nobody polls any more.
func (s *PublicFilterAPI) expire(now time.Time) {
	s.filterManager.Lock() // lock order like filterLoop()
	defer s.filterManager.Unlock()
	s.blockMu.Lock()
	defer s.blockMu.Unlock()
	for id, queue := range s.blockQueue {
		if now.Sub(queue.timeout) > filterTickerTime {
			s.filterManager.remove(id)
			delete(s.blockQueue, id)
		}
	}
}
