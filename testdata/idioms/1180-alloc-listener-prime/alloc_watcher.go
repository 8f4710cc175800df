package allocwatcher

import (
	"context"
	"sync"
)

// allocRunner runs an allocation on this node.
type allocRunner struct {
	mu        sync.Mutex
	alloc     *Allocation
	broadcast AllocBroadcaster
}

// Alloc returns the current state of the allocation.
func (ar *allocRunner) Alloc() *Allocation {
	ar.mu.Lock()
	defer ar.mu.Unlock()
	return ar.alloc
}

// Listener returns a listener for future updates.
func (ar *allocRunner) Listener() *AllocListener {
	return ar.broadcast.Listen()
}

// setStatus is called by the goroutine that runs the tasks.
func (ar *allocRunner) setStatus(status string) {
	ar.mu.Lock()
	defer ar.mu.Unlock()
	ar.alloc = &Allocation{ID: ar.alloc.ID, ClientStatus: status}
	ar.broadcast.Send(ar.alloc)
}

// localPrevAlloc is a prevAllocWatcher for previous allocations on the same
// node as an updated allocation.
type localPrevAlloc struct {
	// prevListener allows blocking for updates to the previous alloc
	prevListener *AllocListener

	// prevStatus allows checking if the previous alloc has already
	// terminated (and therefore won't send updates to the listener)
	prevStatus *allocRunner
}

func newLocalPrevAlloc(prev *allocRunner) *localPrevAlloc {
	return &localPrevAlloc{
		prevListener: prev.Listener(),
		prevStatus:   prev,
	}
}

// Wait on a local alloc to become terminal, exit, or the context to be done.
func (p *localPrevAlloc) Wait(ctx context.Context) error {
	defer p.prevListener.Close()

	// Don't bother blocking for updates from the previous alloc if it has
	// already terminated.
	if p.prevStatus.Alloc().Terminated() {
		return nil
	}

	// Block until previous alloc exits
	for {
		select {
		case prevAlloc, ok := <-p.prevListener.Ch():
			if !ok || prevAlloc.Terminated() {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
