package client

import (
	"log"
	"sync"
)

const (
	AllocClientStatusPending  = "pending"
	AllocClientStatusRunning  = "running"
	AllocClientStatusComplete = "complete"
	AllocClientStatusFailed   = "failed"
)

// Allocation is used to allocate the placement of a task group to a node.
type Allocation struct {
	ID                 string
	NodeID             string
	PreviousAllocation string
	ClientStatus       string
	ClientDescription  string

	Run func() error
}

// Terminated returns if the allocation is in a terminal state on a client.
func (a *Allocation) Terminated() bool {
	return a.ClientStatus == AllocClientStatusFailed ||
		a.ClientStatus == AllocClientStatusComplete
}

// AllocStateUpdater is used to update the status of an allocation
type AllocStateUpdater func(alloc *Allocation)

// AllocRunner is used to wrap an allocation and provide the execution context.
type AllocRunner struct {
	updater AllocStateUpdater
	logger  *log.Logger

	alloc                  *Allocation
	allocClientStatus      string // Explicit status of allocation. Set when there are failures
	allocClientDescription string
	allocLock              sync.Mutex

	dirtyCh chan struct{}
	stopCh  chan struct{}
}

// NewAllocRunner is used to create a new allocation context
func NewAllocRunner(logger *log.Logger, updater AllocStateUpdater, alloc *Allocation, stopCh chan struct{}) *AllocRunner {
	return &AllocRunner{
		updater: updater,
		logger:  logger,
		alloc:   alloc,
		dirtyCh: make(chan struct{}, 1),
		stopCh:  stopCh,
	}
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
			r.syncStatus()
		case <-r.stopCh:
			return
		}
	}
}

// syncStatus is used to run and sync the status when it changes
func (r *AllocRunner) syncStatus() {
	// Get a copy of our alloc, update status server side
	alloc := r.Alloc()
	r.updater(alloc)
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
	go r.dirtySyncState()

	r.setStatus(AllocClientStatusRunning, "")
	if err := r.alloc.Run(); err != nil {
		r.logger.Printf("[ERR] client: alloc %q failed: %v", r.alloc.ID, err)
		r.setStatus(AllocClientStatusFailed, err.Error())
		return
	}
	r.setStatus(AllocClientStatusComplete, "")
}
