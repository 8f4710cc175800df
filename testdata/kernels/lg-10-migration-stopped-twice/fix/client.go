package client

import (
	"errors"
	"fmt"
	"log"
	"math/rand"
	"sync"
	"time"
)

const getAllocRetryIntv = 30 * time.Second

// Allocation is used to allocate the placement of a task group to a node.
type Allocation struct {
	ID                 string
	PreviousAllocation string
	NodeID             string
	Sticky             bool
	Migrate            bool
	DesiredStop        bool
	ClientStatus       string
	AllocModifyIndex   uint64
}

// Terminated returns if the allocation is in a terminal state on a client.
func (a *Allocation) Terminated() bool {
	return a.ClientStatus == "complete" || a.ClientStatus == "failed" || a.ClientStatus == "lost"
}

// ShouldMigrate returns if the allocation needs data migration
func (a *Allocation) ShouldMigrate() bool {
	return !a.DesiredStop && a.Sticky && a.Migrate
}

// AllocRunner is used to wrap an allocation and provide the execution context.
type AllocRunner struct {
	mu    sync.Mutex
	alloc *Allocation
}

func (r *AllocRunner) Alloc() *Allocation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.alloc
}

func (r *AllocRunner) Update(a *Allocation) {
	r.mu.Lock()
	r.alloc = a
	r.mu.Unlock()
}

// RPC is the connection to the servers.
type RPC interface {
	GetAlloc(id string, minIndex uint64) (*Allocation, uint64, error)
	FetchDir(nodeID, allocID, dest string) error
}

// Client is used to implement the client interaction with Nomad. Clients
// are expected to register as a schedulable node to the servers, and to
// run allocations as determined by the servers.
type Client struct {
	rpc      RPC
	allocDir string

	allocs    map[string]*AllocRunner
	allocLock sync.RWMutex

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex

	// migratingAllocs is the set of allocs whose data migration is in flight
	migratingAllocs     map[string]*migrateAllocCtrl
	migratingAllocsLock sync.Mutex
}

// migrateAllocCtrl indicates whether migration is complete
type migrateAllocCtrl struct {
	ch     chan struct{}
	closed bool
	chLock sync.Mutex
}

func newMigrateAllocCtrl() *migrateAllocCtrl {
	return &migrateAllocCtrl{
		ch: make(chan struct{}),
	}
}

func (m *migrateAllocCtrl) closeCh() {
	m.chLock.Lock()
	defer m.chLock.Unlock()

	if m.closed {
		return
	}

	// If channel is not closed then close it
	m.closed = true
	close(m.ch)
}

// NewClient is used to create a new client from the given configuration
func NewClient(rpc RPC, allocDir string, updates <-chan []*Allocation) *Client {
	c := &Client{
		rpc:             rpc,
		allocDir:        allocDir,
		allocs:          make(map[string]*AllocRunner),
		shutdownCh:      make(chan struct{}),
		migratingAllocs: make(map[string]*migrateAllocCtrl),
	}
	go c.run(updates)
	return c
}

// Shutdown is used to tear down the client
func (c *Client) Shutdown() error {
	c.shutdownLock.Lock()
	defer c.shutdownLock.Unlock()
	if c.shutdown {
		return nil
	}
	c.shutdown = true
	close(c.shutdownCh)
	return nil
}

// run is a long lived goroutine used to run the client
func (c *Client) run(updates <-chan []*Allocation) {
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

// runAllocs is invoked when we get an updated set of allocations
func (c *Client) runAllocs(update []*Allocation) {
	// Update the existing allocations
	for _, updated := range update {
		if ar, ok := c.getAllocRunners()[updated.ID]; ok {
			ar.Update(updated)
		}

		// See if the updated alloc is getting migrated
		c.migratingAllocsLock.Lock()
		ch, ok := c.migratingAllocs[updated.ID]
		c.migratingAllocsLock.Unlock()
		if ok {
			// Stopping the migration if the allocation doesn't need any
			// migration
			if !updated.ShouldMigrate() {
				ch.closeCh()
			}
		}
	}

	// Start the new allocations
	for _, add := range update {
		if _, ok := c.getAllocRunners()[add.ID]; ok {
			continue
		}
		_, local := c.getAllocRunners()[add.PreviousAllocation]

		// This means the allocation has a previous allocation on another node
		// so we will block for the previous allocation to complete
		if add.PreviousAllocation != "" && !local {
			// Ensure that we are not blocking for the remote allocation if we
			// have already blocked
			c.migratingAllocsLock.Lock()
			if _, ok := c.migratingAllocs[add.ID]; !ok {
				// Check that we don't have an alloc runner already. This
				// prevents a race between a finishing blockForRemoteAlloc and
				// another invocation of runAllocs
				if _, ok := c.getAllocRunners()[add.ID]; !ok {
					c.migratingAllocs[add.ID] = newMigrateAllocCtrl()
					go c.blockForRemoteAlloc(add)
				}
			}
			c.migratingAllocsLock.Unlock()
			continue
		}

		if err := c.addAlloc(add); err != nil {
			log.Printf("[ERR] client: failed to add alloc '%s': %v", add.ID, err)
		}
	}
}

// addAlloc is invoked when we should add an allocation
func (c *Client) addAlloc(alloc *Allocation) error {
	c.allocLock.Lock()
	defer c.allocLock.Unlock()
	if _, ok := c.allocs[alloc.ID]; ok {
		return errors.New("alloc already exists")
	}
	c.allocs[alloc.ID] = &AllocRunner{alloc: alloc}
	return nil
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

	// Wait for the remote previous alloc to be terminal if the alloc is sticky
	if alloc.Sticky && alloc.Migrate {
		// Block until the previous allocation migrates to terminal state
		c.migratingAllocsLock.Lock()
		stopCh := c.migratingAllocs[alloc.ID]
		c.migratingAllocsLock.Unlock()
		prevAlloc, err := c.waitForAllocTerminal(alloc.PreviousAllocation, stopCh)
		if err != nil {
			log.Printf("[ERR] client: error waiting for allocation %q: %v", alloc.PreviousAllocation, err)
		}

		// Migrate the data from the remote node
		if prevAlloc != nil {
			if err := c.rpc.FetchDir(prevAlloc.NodeID, prevAlloc.ID, c.allocDir); err != nil {
				log.Printf("[ERR] client: error migrating data from remote alloc %q: %v", alloc.PreviousAllocation, err)
			}
		}
	}

	// Add the allocation
	if err := c.addAlloc(alloc); err != nil {
		log.Printf("[ERR] client: error adding alloc: %v", err)
	}
}

// waitForAllocTerminal waits for an allocation with the given alloc id to
// transition to terminal state and blocks the caller until then.
func (c *Client) waitForAllocTerminal(allocID string, stopCh *migrateAllocCtrl) (*Allocation, error) {
	var minIndex uint64
	for {
		alloc, index, err := c.rpc.GetAlloc(allocID, minIndex)
		if err != nil {
			log.Printf("[ERR] client: failed to query allocation %q: %v", allocID, err)
			retry := getAllocRetryIntv + time.Duration(rand.Int63n(int64(getAllocRetryIntv)))
			select {
			case <-time.After(retry):
				continue
			case <-stopCh.ch:
				return nil, fmt.Errorf("giving up waiting on alloc %v since migration is not needed", allocID)
			case <-c.shutdownCh:
				return nil, fmt.Errorf("aborting because client is shutting down")
			}
		}
		if alloc == nil || alloc.Terminated() {
			return alloc, nil
		}

		// Update the query index.
		if index > minIndex {
			minIndex = index
		}
	}
}
