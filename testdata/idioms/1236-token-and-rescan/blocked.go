package nomad

import (
	"sync"
	"time"
)

type Evaluation struct {
	ID    string
	JobID string
}

type BlockedEvals struct {
	l    sync.RWMutex
	jobs map[string]string

	// duplicates is the set of evaluations for jobs that had pre-existing
	// blocked evaluations.
	duplicates []*Evaluation

	// duplicateCh is used to signal that a duplicate eval was added to the
	// duplicate set. It can be used to unblock waiting callers looking for
	// duplicates.
	duplicateCh chan struct{}
	stopCh      chan struct{}
}

func NewBlockedEvals() *BlockedEvals {
	return &BlockedEvals{
		jobs:        make(map[string]string),
		duplicateCh: make(chan struct{}, 1),
		stopCh:      make(chan struct{}),
	}
}

// Block tracks the passed evaluation.
func (b *BlockedEvals) Block(eval *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	if _, existing := b.jobs[eval.JobID]; existing {
		b.duplicates = append(b.duplicates, eval)

		// Unblock any waiter.
		select {
		case b.duplicateCh <- struct{}{}:
		default:
		}
		return
	}
	b.jobs[eval.JobID] = eval.ID
}

// GetDuplicates returns all the duplicate evaluations and blocks until the
// passed timeout.
func (b *BlockedEvals) GetDuplicates(timeout time.Duration) []*Evaluation {
	var timeoutTimer *time.Timer
	var timeoutCh <-chan time.Time
SCAN:
	b.l.Lock()
	if len(b.duplicates) != 0 {
		dups := b.duplicates
		b.duplicates = nil
		b.l.Unlock()
		return dups
	}
	b.l.Unlock()

	// Create the timer
	if timeoutTimer == nil && timeout != 0 {
		timeoutTimer = time.NewTimer(timeout)
		timeoutCh = timeoutTimer.C
		defer timeoutTimer.Stop()
	}

	select {
	case <-b.stopCh:
		return nil
	case <-timeoutCh:
		return nil
	case <-b.duplicateCh:
		goto SCAN
	}
}

// reap is the only caller of GetDuplicates, one goroutine on the leader.
func (b *BlockedEvals) reap(cancel func([]*Evaluation)) {
	for {
		select {
		case <-b.stopCh:
			return
		default:
		}
		if dups := b.GetDuplicates(time.Minute); len(dups) != 0 {
			cancel(dups)
		}
	}
}

func (b *BlockedEvals) Start(cancel func([]*Evaluation)) {
	go b.reap(cancel)
}
