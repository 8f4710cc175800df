package client

import (
	"log"
	"sync"
)

// Client is used to implement the client interaction with Nomad.
type Client struct {
	logger *log.Logger

	configLock sync.RWMutex
	configCopy *Config

	// allocs is the current set of allocations
	allocs    map[string]*AllocRunner
	allocLock sync.RWMutex

	// migratingAllocs is the set of allocs whose data migration is in flight
	migratingAllocs     map[string]chan struct{}
	migratingAllocsLock sync.Mutex

	// allocUpdates stores allocations that need to be synced to the server.
	allocUpdates chan *Allocation

	servers    Servers
	shutdownCh chan struct{}
}

// Servers is what the client asks of the servers and of other clients.
type Servers interface {
	WaitForAllocTerminal(allocID string, stop <-chan struct{}) (*Allocation, error)
	MigrateRemoteAllocDir(alloc *Allocation, allocID string) (*AllocDir, error)
}

type Config struct {
	StateDir   string
	StartTasks func(*Allocation) <-chan error
}

type allocUpdates struct {
	pulled []*Allocation
}

type diffResult struct {
	added   []*Allocation
	removed []*Allocation
}

func NewClient(logger *log.Logger, cfg *Config, servers Servers, updates <-chan *allocUpdates) *Client {
	c := &Client{
		logger:          logger,
		configCopy:      cfg,
		allocs:          make(map[string]*AllocRunner),
		migratingAllocs: make(map[string]chan struct{}),
		allocUpdates:    make(chan *Allocation, 64),
		servers:         servers,
		shutdownCh:      make(chan struct{}),
	}
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
		ar, ok := c.getAllocRunners()[add.PreviousAllocation]

		// This means the allocation has a previous allocation on another node
		// so we will block for the previous allocation to complete
		if add.PreviousAllocation != "" && !ok {
			// Ensure that we are not blocking for the remote allocation if we
			// have already blocked
			c.migratingAllocsLock.Lock()
			if _, ok := c.migratingAllocs[add.ID]; !ok {
				// Check that we don't have an alloc runner already. This
				// prevents a race between a finishing blockForRemoteAlloc and
				// another invocation of runAllocs
				if _, ok := c.getAllocRunners()[add.PreviousAllocation]; !ok {
					c.migratingAllocs[add.ID] = make(chan struct{})
					go c.blockForRemoteAlloc(add)
				}
			}
			c.migratingAllocsLock.Unlock()
			continue
		}

		// Setting the previous allocdir if the allocation had a terminal
		// previous allocation
		var prevAllocDir *AllocDir
		if add.Sticky && ar != nil {
			prevAllocDir = ar.GetAllocDir()
		}

		if err := c.addAlloc(add, prevAllocDir); err != nil {
			c.logger.Printf("[ERR] client: failed to add alloc '%s': %v",
				add.ID, err)
		}
	}
}

// blockForRemoteAlloc blocks until the previous allocation of an allocation has
// been terminated and migrates the snapshot data
func (c *Client) blockForRemoteAlloc(alloc *Allocation) {
	// Removing the allocation from the set of allocs which are currently
	// undergoing migration
	defer func() {
		c.migratingAllocsLock.Lock()
		delete(c.migratingAllocs, alloc.ID)
		c.migratingAllocsLock.Unlock()
	}()

	// prevAllocDir is the allocation directory of the previous allocation
	var prevAllocDir *AllocDir

	// Wait for the remote previous alloc to be terminal if the alloc is sticky
	if alloc.Sticky {
		c.logger.Printf("[DEBUG] client: blocking alloc %q for previous allocation %q", alloc.ID, alloc.PreviousAllocation)
		// Block until the previous allocation migrates to terminal state
		prevAlloc, err := c.servers.WaitForAllocTerminal(alloc.PreviousAllocation, c.shutdownCh)
		if err != nil {
			c.logger.Printf("[ERR] client: error waiting for allocation %q: %v",
				alloc.PreviousAllocation, err)
		}

		// Migrate the data from the remote node
		prevAllocDir, err = c.servers.MigrateRemoteAllocDir(prevAlloc, alloc.ID)
		if err != nil {
			c.logger.Printf("[ERR] client: error migrating data from remote alloc %q: %v",
				alloc.PreviousAllocation, err)
		}
	}

	// Add the allocation
	if err := c.addAlloc(alloc, prevAllocDir); err != nil {
		c.logger.Printf("[ERR] client: error adding alloc: %v", err)
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
func (c *Client) addAlloc(alloc *Allocation, prevAllocDir *AllocDir) error {
	c.allocLock.Lock()
	defer c.allocLock.Unlock()

	// Check if we already have an alloc runner
	if _, ok := c.allocs[alloc.ID]; ok {
		c.logger.Printf("[DEBUG]: client: dropping duplicate add allocation request: %q", alloc.ID)
		return nil
	}

	c.configLock.RLock()
	config := c.configCopy
	ar := NewAllocRunner(c.updateAllocStatus, alloc)
	ar.SetPreviousAllocDir(prevAllocDir)
	c.configLock.RUnlock()
	go ar.Run(config.StartTasks(alloc))

	// Store the alloc runner.
	c.allocs[alloc.ID] = ar
	return nil
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
