package client

import (
	"log"
	"sync"
	"time"
)

const (
	// allocSyncIntv is the batching period of allocation updates before they
	// are synced with the server.
	allocSyncIntv = 200 * time.Millisecond
)

// Client is used to implement the client interaction with Nomad. Clients
// are expected to register as a schedule-able node to the servers, and to
// run allocations as determined by the servers.
type Client struct {
	nodeID string
	logger *log.Logger
	rpc    func(method string, allocs []*Allocation) error

	// allocs is the current set of allocations
	allocs    map[string]*AllocRunner
	allocLock sync.RWMutex

	// blockedAllocations are allocations which are blocked because their
	// chained allocations haven't finished running
	blockedAllocations map[string]*Allocation
	blockedAllocsLock  sync.RWMutex

	// allocUpdates stores allocations that need to be synced to the server.
	allocUpdates chan *Allocation

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex
}

// NewClient is used to create a new client from the given configuration
func NewClient(nodeID string, logger *log.Logger, rpc func(string, []*Allocation) error, updates chan *allocUpdates) *Client {
	c := &Client{
		nodeID:             nodeID,
		logger:             logger,
		rpc:                rpc,
		allocs:             make(map[string]*AllocRunner),
		blockedAllocations: make(map[string]*Allocation),
		allocUpdates:       make(chan *Allocation, 64),
		shutdownCh:         make(chan struct{}),
	}

	// Begin syncing allocations to the server
	go c.allocSync()

	// Start the client!
	go c.run(updates)
	return c
}

// Shutdown is used to tear down the client
func (c *Client) Shutdown() {
	c.shutdownLock.Lock()
	defer c.shutdownLock.Unlock()

	if c.shutdown {
		return
	}
	c.shutdown = true
	close(c.shutdownCh)
}

// run is a long lived goroutine used to run the client
func (c *Client) run(updates chan *allocUpdates) {
	for {
		select {
		case update := <-updates:
			c.runAllocs(update)
		case <-c.shutdownCh:
			return
		}
	}
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

// updateAllocStatus is used to update the status of an allocation
func (c *Client) updateAllocStatus(alloc *Allocation) {
	// Only send the fields that are updatable by the client.
	stripped := new(Allocation)
	stripped.ID = alloc.ID
	stripped.NodeID = c.nodeID
	stripped.ClientStatus = alloc.ClientStatus
	stripped.ClientDescription = alloc.ClientDescription
	select {
	case c.allocUpdates <- stripped:
	case <-c.shutdownCh:
	}
}

// allocSync is a long lived function that batches allocation updates to the
// server.
func (c *Client) allocSync() {
	syncTicker := time.NewTicker(allocSyncIntv)
	defer syncTicker.Stop()
	updates := make(map[string]*Allocation)
	for {
		select {
		case <-c.shutdownCh:
			return
		case alloc := <-c.allocUpdates:
			// Batch the allocation updates until the timer triggers.
			updates[alloc.ID] = alloc

			// If this alloc was blocking another alloc and transitioned to a
			// terminal state then start the blocked allocation
			c.blockedAllocsLock.Lock()
			if blockedAlloc, ok := c.blockedAllocations[alloc.ID]; ok && alloc.Terminated() {
				if err := c.addAlloc(blockedAlloc); err != nil {
					c.logger.Printf("[ERR] client: failed to add alloc which was previously blocked %q: %v",
						blockedAlloc.ID, err)
				}
				delete(c.blockedAllocations, blockedAlloc.PreviousAllocation)
			}
			c.blockedAllocsLock.Unlock()
		case <-syncTicker.C:
			// Fast path if there are no updates
			if len(updates) == 0 {
				continue
			}

			sync := make([]*Allocation, 0, len(updates))
			for _, alloc := range updates {
				sync = append(sync, alloc)
			}

			// Send to server.
			if err := c.rpc("Node.UpdateAlloc", sync); err != nil {
				c.logger.Printf("[ERR] client: failed to update allocations: %v", err)
			} else {
				updates = make(map[string]*Allocation)
			}
		}
	}
}

// allocUpdates holds the results of receiving updated allocations from the
// servers.
type allocUpdates struct {
	pulled map[string]*Allocation
}

// runAllocs is invoked when we get an updated set of allocations
func (c *Client) runAllocs(update *allocUpdates) {
	// Get the existing allocs
	exist := c.getAllocRunners()

	// Start the new allocations
	for id, add := range update.pulled {
		if _, ok := exist[id]; ok {
			continue
		}

		// If the allocation is chained and the previous allocation hasn't
		// terminated yet, then add the alloc to the blocked queue.
		ar, ok := c.getAllocRunners()[add.PreviousAllocation]
		if ok && !ar.Alloc().Terminated() {
			c.logger.Printf("[DEBUG] client: added alloc %q to blocked queue", add.ID)
			c.blockedAllocsLock.Lock()
			c.blockedAllocations[add.PreviousAllocation] = add
			c.blockedAllocsLock.Unlock()
			continue
		}

		if err := c.addAlloc(add); err != nil {
			c.logger.Printf("[ERR] client: failed to add alloc '%s': %v",
				add.ID, err)
		}
	}
}

// addAlloc is invoked when we should add an allocation
func (c *Client) addAlloc(alloc *Allocation) error {
	c.allocLock.Lock()
	defer c.allocLock.Unlock()

	// Check if we already have an alloc runner
	if _, ok := c.allocs[alloc.ID]; ok {
		return nil
	}

	ar := NewAllocRunner(c.logger, c.updateAllocStatus, alloc, c.shutdownCh)
	go ar.Run()

	// Store the alloc runner.
	c.allocs[alloc.ID] = ar
	return nil
}
