package client

import (
	"encoding/json"
	"log"
	"sync"
	"time"
)

const stateSnapshotIntv = 60 * time.Second

// Client is used to implement the client interaction with Nomad.
type Client struct {
	logger  *log.Logger
	stateDB StateDB

	// allocs is the current set of allocations
	allocs    map[string]*AllocRunner
	allocLock sync.RWMutex

	startTasks func(*Allocation) (AllocDir, <-chan struct{})
	updater    func(*Allocation)
	shutdownCh chan struct{}
}

// NewClient restores the allocations from the state database and runs them.
func NewClient(logger *log.Logger, db StateDB, startTasks func(*Allocation) (AllocDir, <-chan struct{}), updater func(*Allocation)) (*Client, error) {
	c := &Client{
		logger:     logger,
		stateDB:    db,
		allocs:     make(map[string]*AllocRunner),
		startTasks: startTasks,
		updater:    updater,
		shutdownCh: make(chan struct{}),
	}
	ids, err := db.Allocations()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		buf, err := db.Get(id, "alloc")
		if err != nil {
			return nil, err
		}
		alloc := &Allocation{}
		if err := json.Unmarshal(buf, alloc); err != nil {
			return nil, err
		}
		c.addAlloc(alloc)
	}
	go c.periodicSnapshot()
	return c, nil
}

// addAlloc is invoked when we should add an allocation
func (c *Client) addAlloc(alloc *Allocation) {
	c.allocLock.Lock()
	defer c.allocLock.Unlock()
	if _, ok := c.allocs[alloc.ID]; ok {
		return
	}
	dir, tasks := c.startTasks(alloc)
	ar := NewAllocRunner(c.logger, c.stateDB, c.updater, alloc, dir)
	c.allocs[alloc.ID] = ar
	go ar.Run(tasks)
}

// removeAlloc is invoked when we should remove an allocation
func (c *Client) removeAlloc(alloc *Allocation) {
	c.allocLock.Lock()
	ar, ok := c.allocs[alloc.ID]
	if !ok {
		c.allocLock.Unlock()
		c.logger.Printf("[WARN] client: missing context for alloc '%s'", alloc.ID)
		return
	}
	delete(c.allocs, alloc.ID)
	c.allocLock.Unlock()

	ar.Destroy()
}

// getAllocRunners returns a snapshot of the current set of alloc runners.
func (c *Client) getAllocRunners() map[string]*AllocRunner {
	c.allocLock.RLock()
	defer c.allocLock.RUnlock()
	runners := make(map[string]*AllocRunner, len(c.allocs))
	for id, ar := range c.allocs {
		runners[id] = ar
	}
	return runners
}

// saveState is used to snapshot our state into the data dir.
func (c *Client) saveState() {
	var wg sync.WaitGroup
	runners := c.getAllocRunners()
	wg.Add(len(runners))

	for id, ar := range runners {
		go func(id string, ar *AllocRunner) {
			defer wg.Done()
			if err := ar.SaveState(); err != nil {
				c.logger.Printf("[ERR] client: failed to save state for alloc %q: %v", id, err)
			}
		}(id, ar)
	}
	wg.Wait()
}

// periodicSnapshot is a long lived goroutine used to periodically snapshot the
// state of the client
func (c *Client) periodicSnapshot() {
	// Create a snapshot timer
	snapshot := time.NewTicker(stateSnapshotIntv)
	defer snapshot.Stop()

	for {
		select {
		case <-snapshot.C:
			c.saveState()
		case <-c.shutdownCh:
			return
		}
	}
}
