package client

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"sync"
)

var (
	// The following are the key paths written to the state database
	allocRunnerStateAllocKey   = "alloc"
	allocRunnerStateMutableKey = "mutable"
)

// Allocation is used to allocate the placement of a task group to a node.
type Allocation struct {
	ID                string
	EvalID            string
	ClientStatus      string
	ClientDescription string
}

// AllocStateUpdater is used to update the status of an allocation
type AllocStateUpdater func(alloc *Allocation)

// AllocRunner is used to wrap an allocation and provide the execution context.
type AllocRunner struct {
	updater AllocStateUpdater
	logger  *log.Logger

	// allocID is the ID of this runner's allocation. Since it does not
	// change for the lifetime of the AllocRunner it is safe to read
	// without acquiring a lock (unlike alloc).
	allocID string

	alloc                  *Allocation
	allocClientStatus      string // Explicit status of allocation. Set when there are failures
	allocClientDescription string
	allocLock              sync.Mutex

	dirtyCh chan struct{}

	updateCh chan *Allocation

	ctx    context.Context
	exitFn context.CancelFunc
	waitCh chan struct{}

	// State related fields
	// stateDB is used to store the alloc runners state
	stateDB        *stateDB
	allocStateLock sync.Mutex

	// persistedEval is the last persisted evaluation ID. Since evaluation
	// IDs change on every allocation update we only need to persist the
	// allocation when its eval ID != the last persisted eval ID.
	persistedEvalLock sync.Mutex
	persistedEval     string
}

// NewAllocRunner is used to create a new allocation context
func NewAllocRunner(logger *log.Logger, db *stateDB, updater AllocStateUpdater, alloc *Allocation) *AllocRunner {
	ar := &AllocRunner{
		stateDB:  db,
		updater:  updater,
		logger:   logger,
		alloc:    alloc,
		allocID:  alloc.ID,
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
	r.allocStateLock.Lock()
	defer r.allocStateLock.Unlock()

	if r.ctx.Err() == context.Canceled {
		return nil
	}
	// Grab all the relevant data
	alloc := r.Alloc()

	// Start the transaction.
	return r.stateDB.Update(func(tx *tx) error {

		// Grab the allocation bucket
		allocBkt := tx.getAllocationBucket(r.allocID)

		// Write the allocation if the eval has changed
		r.persistedEvalLock.Lock()
		lastPersisted := r.persistedEval
		r.persistedEvalLock.Unlock()
		if alloc.EvalID != lastPersisted {
			if err := putObject(allocBkt, allocRunnerStateAllocKey, alloc); err != nil {
				return fmt.Errorf("failed to write alloc_runner alloc state: %v", err)
			}

			r.persistedEvalLock.Lock()
			r.persistedEval = alloc.EvalID
			r.persistedEvalLock.Unlock()
		}

		// Write the mutable state every time
		mutable := map[string]string{
			"AllocClientStatus":      alloc.ClientStatus,
			"AllocClientDescription": alloc.ClientDescription,
		}

		if err := putObject(allocBkt, allocRunnerStateMutableKey, mutable); err != nil {
			return fmt.Errorf("failed to write alloc_runner mutable state: %v", err)
		}

		return nil
	})
}

// DestroyState is used to cleanup after ourselves
func (r *AllocRunner) DestroyState() error {
	r.allocStateLock.Lock()
	defer r.allocStateLock.Unlock()
	return r.stateDB.Update(func(tx *tx) error {
		if err := tx.deleteAllocationBucket(r.allocID); err != nil {
			return fmt.Errorf("failed to delete allocation bucket: %v", err)
		}
		return nil
	})
}

// Alloc returns the associated allocation
func (r *AllocRunner) Alloc() *Allocation {
	r.allocLock.Lock()
	defer r.allocLock.Unlock()

	alloc := new(Allocation)
	*alloc = *r.alloc

	// The status has explicitly been set.
	if r.allocClientStatus != "" || r.allocClientDescription != "" {
		alloc.ClientStatus = r.allocClientStatus
		alloc.ClientDescription = r.allocClientDescription
	}
	return alloc
}

// dirtySyncState is used to watch for state being marked dirty to sync
func (r *AllocRunner) dirtySyncState() {
	for {
		select {
		case <-r.dirtyCh:
			if err := r.syncStatus(); err != nil {
				// Only WARN instead of ERR because we continue on
				r.logger.Printf("[WARN] client: error persisting alloc %q state: %v",
					r.allocID, err)
			}
		case <-r.ctx.Done():
			return
		}
	}
}

// syncStatus is used to run and sync the status when it changes
func (r *AllocRunner) syncStatus() error {
	// Get a copy of our alloc, update status server side and sync to disk
	alloc := r.Alloc()
	r.updater(alloc)
	return r.saveAllocRunnerState()
}

// setStatus is used to update the allocation status
func (r *AllocRunner) setStatus(status, desc string) {
	r.allocLock.Lock()
	r.allocClientStatus = status
	r.allocClientDescription = desc
	r.allocLock.Unlock()
	select {
	case r.dirtyCh <- struct{}{}:
	default:
	}
}

// Run is a long running goroutine used to manage an allocation
func (r *AllocRunner) Run() {
	defer close(r.waitCh)
	go r.dirtySyncState()

	r.setStatus("running", "")

OUTER:
	// Wait for updates
	for {
		select {
		case update := <-r.updateCh:
			// Store the updated allocation.
			r.allocLock.Lock()
			r.alloc = update
			r.allocLock.Unlock()
			r.setStatus("running", "")
		case <-r.ctx.Done():
			break OUTER
		}
	}

	r.handleDestroy()
}

// handleDestroy blocks till the AllocRunner should be destroyed and does the
// necessary cleanup.
func (r *AllocRunner) handleDestroy() {
	if err := r.DestroyState(); err != nil {
		r.logger.Printf("[ERR] client: failed to destroy state for alloc '%s': %v",
			r.allocID, err)
	}
	r.logger.Printf("[DEBUG] client: terminating runner for alloc '%s'", r.allocID)
}

// Destroy is used to indicate that the allocation context should be destroyed
func (r *AllocRunner) Destroy() {
	// Lock when closing the context as that gives the save state code
	// serialization.
	r.allocStateLock.Lock()
	defer r.allocStateLock.Unlock()
	r.exitFn()
}

// WaitCh returns a channel to wait for termination
func (r *AllocRunner) WaitCh() <-chan struct{} {
	return r.waitCh
}

func putObject(bkt map[string][]byte, key string, obj any) error {
	data, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	bkt[key] = data
	return nil
}
