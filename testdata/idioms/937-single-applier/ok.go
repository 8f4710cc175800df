// Package apply feeds the committed entries of a replicated log to the state
// machine of a node.
package apply

import (
	"errors"
	"sync"
)

// ErrClosed is returned to those who wait when the applier is closed.
var ErrClosed = errors.New("apply: closed")

// Entry is one command of the log.
type Entry struct {
	Index   uint64
	Command []byte
}

// Log returns committed entries; they do not change any more.
type Log interface {
	Entries(from, to uint64) ([]Entry, error)
}

// Machine is the replicated state. Apply has to be called in the order of the
// log, each entry once.
type Machine interface {
	Apply(Entry)
}

// Applier runs a state machine. Its methods are safe for concurrent use.
type Applier struct {
	log     Log
	machine Machine
	batch   uint64
	done    chan struct{}

	mu      sync.Mutex
	change  *sync.Cond
	commit  uint64
	applied uint64
	err     error
}

// Start returns an applier for a machine that contains the entries up to an
// index, and runs it.
func Start(l Log, m Machine, applied, batch uint64) *Applier {
	a := &Applier{
		log:     l,
		machine: m,
		batch:   max(batch, 1),
		done:    make(chan struct{}),
		commit:  applied,
		applied: applied,
	}
	a.change = sync.NewCond(&a.mu)
	go a.run()
	return a
}

// Committed tells the applier that the entries up to an index are committed.
func (a *Applier) Committed(index uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if index > a.commit {
		a.commit = index
		a.change.Broadcast()
	}
}

// Applied returns the index of the last entry that the machine contains.
func (a *Applier) Applied() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.applied
}

// Wait blocks until the machine contains the entry with an index.
func (a *Applier) Wait(index uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.applied < index {
		if a.err != nil {
			return a.err
		}
		a.change.Wait()
	}
	return nil
}

// pending blocks until there are entries to apply and returns the first and
// the last of them.
func (a *Applier) pending() (from, to uint64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.err == nil && a.applied == a.commit {
		a.change.Wait()
	}
	if a.err != nil {
		return 0, 0, false
	}
	return a.applied + 1, min(a.commit, a.applied+a.batch), true
}

// advance records that the machine contains the entries up to an index.
func (a *Applier) advance(index uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.applied = index
	a.change.Broadcast()
}

// fail ends the applier with an error; only the first one counts.
func (a *Applier) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
		a.change.Broadcast()
	}
}

func (a *Applier) run() {
	defer close(a.done)
	for {
		from, to, ok := a.pending()
		if !ok {
			return
		}
		entries, err := a.log.Entries(from, to)
		if err != nil {
			a.fail(err)
			return
		}
		for _, e := range entries {
			a.machine.Apply(e)
		}
		a.advance(to)
	}
}

// Close ends the applier when the batch in work has been applied.
func (a *Applier) Close() {
	a.fail(ErrClosed)
	<-a.done
}
