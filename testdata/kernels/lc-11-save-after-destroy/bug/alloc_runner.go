package client

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"sync"
)

const (
	AllocClientStatusPending  = "pending"
	AllocClientStatusRunning  = "running"
	AllocClientStatusComplete = "complete"
)

// Allocation is used to allocate the placement of a task group to a node.
type Allocation struct {
	ID           string
	EvalID       string
	ClientStatus string
}

// StateDB is the state database of the client. Its methods are transactions.
type StateDB interface {
	// Put writes an object into the bucket of the allocation, which is
	// created if it does not exist.
	Put(allocID, key string, value []byte) error
	DeleteAllocationBucket(allocID string) error
	Allocations() ([]string, error)
	Get(allocID, key string) ([]byte, error)
}

// AllocDir is the directory of an allocation.
type AllocDir interface {
	Destroy() error
}

// AllocRunner is used to wrap an allocation and provide the execution context.
type AllocRunner struct {
	logger  *log.Logger
	updater func(alloc *Allocation)

	allocID           string
	alloc             *Allocation
	allocClientStatus string
	allocLock         sync.Mutex

	// dirtyCh is used to signal that the client state should be synced
	dirtyCh  chan struct{}
	updateCh chan *Allocation
	allocDir AllocDir

	// ctx is cancelled with exitFn to cause the alloc to be destroyed
	// (stopped and GC'd).
	ctx    context.Context
	exitFn context.CancelFunc

	// waitCh is closed when the Run method exits.
	waitCh chan struct{}

	// State related fields
	// stateDB is used to store the alloc runners state
	stateDB StateDB
}

// NewAllocRunner is used to create a new allocation context
func NewAllocRunner(logger *log.Logger, stateDB StateDB, updater func(*Allocation), alloc *Allocation, dir AllocDir) *AllocRunner {
	ar := &AllocRunner{
		logger:   logger,
		stateDB:  stateDB,
		updater:  updater,
		alloc:    alloc,
		allocID:  alloc.ID,
		allocDir: dir,
		dirtyCh:  make(chan struct{}, 1),
		updateCh: make(chan *Allocation, 64),
		waitCh:   make(chan struct{}),
	}
	ar.ctx, ar.exitFn = context.WithCancel(context.Background())
	return ar
}

// SaveState is used to snapshot the state of the alloc runner
func (r *AllocRunner) SaveState() error {
	return r.saveAllocRunnerState()
}

func (r *AllocRunner) saveAllocRunnerState() error {
	// Grab all the relevant data
	alloc := r.Alloc()

	buf, err := json.Marshal(alloc)
	if err != nil {
		return fmt.Errorf("failed to encode alloc_runner alloc state: %v", err)
	}

	// Start the transaction.
	if err := r.stateDB.Put(r.allocID, "alloc", buf); err != nil {
		return fmt.Errorf("failed to write alloc_runner alloc state: %v", err)
	}
	return nil
}

// DestroyState is used to cleanup after ourselves
func (r *AllocRunner) DestroyState() error {
	if err := r.stateDB.DeleteAllocationBucket(r.allocID); err != nil {
		return fmt.Errorf("failed to delete allocation bucket: %v", err)
	}
	return nil
}

// DestroyContext is used to destroy the context
func (r *AllocRunner) DestroyContext() error {
	return r.allocDir.Destroy()
}

// Alloc returns the associated allocation
func (r *AllocRunner) Alloc() *Allocation {
	r.allocLock.Lock()
	defer r.allocLock.Unlock()
	alloc := *r.alloc
	if r.allocClientStatus != "" {
		alloc.ClientStatus = r.allocClientStatus
	}
	return &alloc
}

// setStatus is used to update the allocation status
func (r *AllocRunner) setStatus(status string) {
	r.allocLock.Lock()
	r.allocClientStatus = status
	r.allocLock.Unlock()
	select {
	case r.dirtyCh <- struct{}{}:
	default:
	}
}

// dirtySyncState is used to watch for state being marked dirty to sync
func (r *AllocRunner) dirtySyncState() {
	for {
		select {
		case <-r.dirtyCh:
			r.updater(r.Alloc())
			if err := r.saveAllocRunnerState(); err != nil {
				r.logger.Printf("[WARN] client: failed to save state of alloc %q: %v", r.allocID, err)
			}
		case <-r.ctx.Done():
			return
		}
	}
}

// Run is a long running goroutine used to manage an allocation
func (r *AllocRunner) Run(tasks <-chan struct{}) {
	defer close(r.waitCh)
	go r.dirtySyncState()
	r.setStatus(AllocClientStatusRunning)

OUTER:
	// Wait for updates
	for {
		select {
		case update := <-r.updateCh:
			// Store the updated allocation.
			r.allocLock.Lock()
			r.alloc = update
			r.allocLock.Unlock()
		case <-tasks:
			break OUTER
		case <-r.ctx.Done():
			break OUTER
		}
	}
	r.setStatus(AllocClientStatusComplete)

	// Block until we should destroy the state of the alloc
	r.handleDestroy()
	r.logger.Printf("[DEBUG] client: terminating runner for alloc '%s'", r.allocID)
}

// handleDestroy blocks till the AllocRunner should be destroyed and does the
// necessary cleanup.
func (r *AllocRunner) handleDestroy() {
	// Broadcast and persist state synchronously
	if err := r.saveAllocRunnerState(); err != nil {
		r.logger.Printf("[WARN] client: alloc %q unable to persist state but should be GC'd soon anyway:%v",
			r.allocID, err)
	}

	for {
		select {
		case <-r.ctx.Done():
			if err := r.DestroyContext(); err != nil {
				r.logger.Printf("[ERR] client: failed to destroy context for alloc '%s': %v",
					r.allocID, err)
			}
			if err := r.DestroyState(); err != nil {
				r.logger.Printf("[ERR] client: failed to destroy state for alloc '%s': %v",
					r.allocID, err)
			}
			return
		case <-r.updateCh:
			r.logger.Printf("[DEBUG] client: dropping update to terminal alloc '%s'", r.allocID)
		}
	}
}

// Update is used to update the allocation of the context
func (r *AllocRunner) Update(update *Allocation) {
	select {
	case r.updateCh <- update:
	default:
		r.logger.Printf("[ERR] client: dropping update to alloc '%s'", update.ID)
	}
}

// Destroy is used to indicate that the allocation context should be destroyed
func (r *AllocRunner) Destroy() {
	r.exitFn()
}
