package client

import (
	"log"
	"sync"
	"time"
)

// stateDB is the database of the client's state, one bucket per allocation.
type stateDB struct {
	mu      sync.Mutex
	buckets map[string]map[string][]byte
}

type tx struct {
	db *stateDB
}

// Update executes fn within a read-write transaction.
func (db *stateDB) Update(fn func(tx *tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return fn(&tx{db})
}

// getAllocationBucket returns the bucket used to persist state about a
// particular allocation. If the bucket doesn't exist, it is created.
func (t *tx) getAllocationBucket(allocID string) map[string][]byte {
	bkt := t.db.buckets[allocID]
	if bkt == nil {
		bkt = make(map[string][]byte)
		t.db.buckets[allocID] = bkt
	}
	return bkt
}

// deleteAllocationBucket is used to delete an allocation bucket if it exists.
func (t *tx) deleteAllocationBucket(allocID string) error {
	delete(t.db.buckets, allocID)
	return nil
}

// Client runs the allocations of this node.
type Client struct {
	logger *log.Logger
	db     *stateDB

	// allocs is the current set of allocations
	allocs    map[string]*AllocRunner
	allocLock sync.RWMutex

	shutdownCh chan struct{}
}

// NewClient is used to create a new client
func NewClient(logger *log.Logger) *Client {
	c := &Client{
		logger:     logger,
		db:         &stateDB{buckets: make(map[string]map[string][]byte)},
		allocs:     make(map[string]*AllocRunner),
		shutdownCh: make(chan struct{}),
	}
	go c.periodicSnapshot()
	return c
}

// periodicSnapshot is a long lived goroutine used to periodically snapshot the
// state of the client
func (c *Client) periodicSnapshot() {
	snapshot := time.After(time.Minute)
	for {
		select {
		case <-snapshot:
			snapshot = time.After(time.Minute)
			if err := c.saveState(); err != nil {
				c.logger.Printf("[ERR] client: failed to save state: %v", err)
			}
		case <-c.shutdownCh:
			return
		}
	}
}

// saveState is used to snapshot our state into the data dir.
func (c *Client) saveState() error {
	c.allocLock.RLock()
	runners := make([]*AllocRunner, 0, len(c.allocs))
	for _, ar := range c.allocs {
		runners = append(runners, ar)
	}
	c.allocLock.RUnlock()

	for _, ar := range runners {
		if err := ar.SaveState(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) addAlloc(alloc *Allocation) {
	c.allocLock.Lock()
	defer c.allocLock.Unlock()

	// Check if we already have an alloc runner
	if _, ok := c.allocs[alloc.ID]; ok {
		return
	}
	ar := NewAllocRunner(c.logger, c.db, func(*Allocation) {}, alloc)
	c.allocs[alloc.ID] = ar
	go ar.Run()
}

// removeAlloc is invoked when we should remove an allocation
func (c *Client) removeAlloc(alloc *Allocation) {
	c.allocLock.Lock()
	ar, ok := c.allocs[alloc.ID]
	if !ok {
		c.allocLock.Unlock()
		return
	}
	delete(c.allocs, alloc.ID)
	c.allocLock.Unlock()

	ar.Destroy()
}
