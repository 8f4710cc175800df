package client

import (
	"log"
	"sync"
	"time"
)

const allocSyncIntv = 200 * time.Millisecond

// Client is used to implement the client interaction with Nomad.
type Client struct {
	logger *log.Logger

	// allocs is the current set of allocations
	allocs    map[string]*AllocRunner
	allocLock sync.RWMutex

	// blockedAllocations are allocations which are blocked because their
	// chained allocations haven't finished running
	blockedAllocations map[string]*Allocation
	blockedAllocsLock  sync.RWMutex

	// allocUpdates stores allocations that need to be synced to the server.
	allocUpdates chan *Allocation

	startTasks func(*Allocation) <-chan error
	updateRPC  func([]*Allocation) error

	shutdownCh chan struct{}
}

type allocUpdates struct {
	pulled []*Allocation
}

type diffResult struct {
	added   []*Allocation
	removed []*Allocation
}

// NewClient is used to create a new client from the given configuration
func NewClient(logger *log.Logger, startTasks func(*Allocation) <-chan error, rpc func([]*Allocation) error, updates <-chan *allocUpdates) *Client {
	c := &Client{
		logger:             logger,
		allocs:             make(map[string]*AllocRunner),
		blockedAllocations: make(map[string]*Allocation),
		allocUpdates:       make(chan *Allocation, 64),
		startTasks:         startTasks,
		updateRPC:          rpc,
		shutdownCh:         make(chan struct{}),
	}

	// Begin syncing allocations to the server
	go c.allocSync()

	// Start the client!
	go c.run(updates)
	return c
}

// run is a long lived goroutine used to run the client
func (c *Client) run(updates <-chan *allocUpdates) {
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
	select {
	case c.allocUpdates <- alloc:
	case <-c.shutdownCh:
	}
}

// allocSync is a long lived function that batches allocation updates to the
// server.
func (c *Client) allocSync() {
	syncTicker := time.NewTicker(allocSyncIntv)
	updates := make(map[string]*Allocation)
	for {
		select {
		case <-c.shutdownCh:
			syncTicker.Stop()
			return
		case alloc := <-c.allocUpdates:
			// Batch the allocation updates until the timer triggers.
			updates[alloc.ID] = alloc

			// If this alloc was blocking another alloc and transitioned to a
			// terminal state then start the blocked allocation
			c.blockedAllocsLock.Lock()
			if blockedAlloc, ok := c.blockedAllocations[alloc.ID]; ok && alloc.Terminated() {
				var prevAllocDir *AllocDir
				if ar, ok := c.getAllocRunners()[alloc.ID]; ok {
					prevAllocDir = ar.GetAllocDir()
				}
				c.addAlloc(blockedAlloc, prevAllocDir)
				delete(c.blockedAllocations, blockedAlloc.PreviousAllocation)
			}
			c.blockedAllocsLock.Unlock()
		case <-syncTicker.C:
			sync := make([]*Allocation, 0, len(updates))
			for _, alloc := range updates {
				sync = append(sync, alloc)
			}
			if err := c.updateRPC(sync); err != nil {
				c.logger.Printf("[ERR] client: failed to update allocations: %v", err)
				continue
			}
			updates = make(map[string]*Allocation)
		}
	}
}

// runAllocs is invoked when we get an updated set of allocations
func (c *Client) runAllocs(update *allocUpdates) {
	// Get the existing allocs
	c.allocLock.RLock()
	exist := make(map[string]*Allocation, len(c.allocs))
	for id, ar := range c.allocs {
		exist[id] = ar.Alloc()
	}
	c.allocLock.RUnlock()

	// Diff the existing and updated allocations
	diff := diffAllocs(exist, update)

	// Remove the old allocations
	for _, remove := range diff.removed {
		c.removeAlloc(remove)
	}

	// Start the new allocations
	for _, add := range diff.added {
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

		// Setting the previous allocdir if the allocation had a terminal
		// previous allocation
		var prevAllocDir *AllocDir
		if add.Sticky && ar != nil {
			prevAllocDir = ar.GetAllocDir()
		}
		c.addAlloc(add, prevAllocDir)
	}
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

// addAlloc is invoked when we should add an allocation
func (c *Client) addAlloc(alloc *Allocation, prevAllocDir *AllocDir) {
	c.allocLock.Lock()
	defer c.allocLock.Unlock()
	if _, ok := c.allocs[alloc.ID]; ok {
		return
	}
	ar := NewAllocRunner(c.updateAllocStatus, alloc)
	ar.SetPreviousAllocDir(prevAllocDir)
	c.allocs[alloc.ID] = ar
	go ar.Run(c.startTasks(alloc))
}

// diffAllocs is used to diff the existing and updated allocations
func diffAllocs(existing map[string]*Allocation, update *allocUpdates) *diffResult {
	result := &diffResult{}
	seen := make(map[string]bool, len(update.pulled))
	for _, alloc := range update.pulled {
		seen[alloc.ID] = true
		if _, ok := existing[alloc.ID]; !ok {
			result.added = append(result.added, alloc)
		}
	}
	for id, alloc := range existing {
		if !seen[id] {
			result.removed = append(result.removed, alloc)
		}
	}
	return result
}
