package client

import "sync"

const (
	AllocClientStatusRunning  = "running"
	AllocClientStatusComplete = "complete"
	AllocClientStatusFailed   = "failed"
)

// Allocation is used to allocate the placement of a task group to a node.
type Allocation struct {
	ID                 string
	PreviousAllocation string
	Sticky             bool
	ClientStatus       string
}

// Terminated returns if the allocation is in a terminal state on a client.
func (a *Allocation) Terminated() bool {
	return a.ClientStatus == AllocClientStatusComplete || a.ClientStatus == AllocClientStatusFailed
}

// AllocDir is the directory of an allocation on disk.
type AllocDir struct{ Path string }

// AllocRunner is used to wrap an allocation and provide the execution context.
type AllocRunner struct {
	updater func(alloc *Allocation)

	alloc             *Allocation
	allocClientStatus string
	allocLock         sync.Mutex

	prevAllocDir *AllocDir
	dir          *AllocDir
	destroyCh    chan struct{}
}

func NewAllocRunner(updater func(*Allocation), alloc *Allocation) *AllocRunner {
	return &AllocRunner{
		updater:   updater,
		alloc:     alloc,
		dir:       &AllocDir{Path: "alloc/" + alloc.ID},
		destroyCh: make(chan struct{}),
	}
}

// SetPreviousAllocDir sets the previous allocdir of the current allocation
func (r *AllocRunner) SetPreviousAllocDir(allocDir *AllocDir) { r.prevAllocDir = allocDir }

// GetAllocDir returns the alloc dir for the alloc runner
func (r *AllocRunner) GetAllocDir() *AllocDir { return r.dir }

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
	r.updater(r.Alloc())
}

// Run is a long running goroutine used to manage an allocation
func (r *AllocRunner) Run(tasks <-chan error) {
	r.setStatus(AllocClientStatusRunning)
	select {
	case err := <-tasks:
		if err != nil {
			r.setStatus(AllocClientStatusFailed)
			return
		}
		r.setStatus(AllocClientStatusComplete)
	case <-r.destroyCh:
		r.setStatus(AllocClientStatusComplete)
	}
}

// Destroy is used to indicate that the allocation context should be destroyed
func (r *AllocRunner) Destroy() { close(r.destroyCh) }
