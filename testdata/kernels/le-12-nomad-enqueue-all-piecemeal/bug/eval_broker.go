package nomad

import (
	"container/heap"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrNotOutstanding is returned if an evaluation is not outstanding
	ErrNotOutstanding = errors.New("evaluation is not outstanding")

	// ErrTokenMismatch is the outstanding eval has a different token
	ErrTokenMismatch = errors.New("evaluation token does not match")

	errBrokerDisabled = errors.New("eval broker disabled")
)

// Evaluation is used anytime we need to apply business logic as a result
// of a change to our desired state (job specification) or the emergent state
// (registered nodes).
type Evaluation struct {
	ID          string
	Type        string
	JobID       string
	Priority    int
	Wait        time.Duration
	CreateIndex uint64
}

// EvalBroker is used to manage brokering of evaluations. When an evaluation is
// created, due to a change in a job specification or a node, we put it into the
// broker. The broker sorts by evaluations by priority and scheduler type. This
// allows us to dequeue the highest priority work first, while also allowing sub-schedulers
// to only dequeue work they know how to handle. The broker is designed to be entirely
// in-memory and is managed by the leader node.
type EvalBroker struct {
	nackTimeout time.Duration
	enabled     bool

	// evals tracks queued evaluations by ID to de-duplicate enqueue.
	// The counter is the number of times we've attempted delivery.
	evals map[string]int

	// jobEvals tracks queued evaluations by JobID to serialize them
	jobEvals map[string]string

	// blocked tracks the blocked evaluations by JobID in a priority queue
	blocked map[string]PendingEvaluations

	// ready tracks the ready jobs by scheduler in a priority queue
	ready map[string]PendingEvaluations

	// unack is a map of evalID to an un-acknowledged evaluation
	unack map[string]*unackEval

	// waitCh is closed and replaced when there is new ready work
	waitCh chan struct{}

	// timeWait has evaluations that are waiting for time to elapse
	timeWait map[string]*time.Timer

	l sync.RWMutex
}

// unackEval tracks an unacknowledged evaluation along with the Nack timer
type unackEval struct {
	Eval      *Evaluation
	Token     string
	NackTimer *time.Timer
}

// PendingEvaluations is a list of waiting evaluations.
// We implement the container/heap interface so that this is a
// priority queue
type PendingEvaluations []*Evaluation

// NewEvalBroker creates a new evaluation broker.
func NewEvalBroker(timeout time.Duration) *EvalBroker {
	b := &EvalBroker{nackTimeout: timeout, waitCh: make(chan struct{})}
	b.resetLocked()
	return b
}

// SetEnabled is used to control if the broker is enabled. The broker
// should only be enabled on the active leader.
func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	defer b.l.Unlock()
	b.enabled = enabled
	if !enabled {
		for _, unack := range b.unack {
			unack.NackTimer.Stop()
		}
		for _, wait := range b.timeWait {
			wait.Stop()
		}
		b.resetLocked()
		b.wakeLocked()
	}
}

func (b *EvalBroker) resetLocked() {
	b.evals = make(map[string]int)
	b.jobEvals = make(map[string]string)
	b.blocked = make(map[string]PendingEvaluations)
	b.ready = make(map[string]PendingEvaluations)
	b.unack = make(map[string]*unackEval)
	b.timeWait = make(map[string]*time.Timer)
}

func (b *EvalBroker) wakeLocked() {
	close(b.waitCh)
	b.waitCh = make(chan struct{})
}

// EnqueueAll is used to enqueue many evaluations.
// TODO: Update enqueueLocked to take a list and use heap.Fix instead of
// heap.Push in order to make the running time O(log(n+m)) instead of
// O(m*log(n)) where m is the size of the evals and n is the size of the
// existing heap.
func (b *EvalBroker) EnqueueAll(evals []*Evaluation) {
	for _, e := range evals {
		b.Enqueue(e)
	}
}

// Enqueue is used to enqueue an evaluation
func (b *EvalBroker) Enqueue(eval *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()

	// Check if already enqueued
	if _, ok := b.evals[eval.ID]; ok || !b.enabled {
		return
	}
	b.evals[eval.ID] = 0

	// Check if we need to enforce a wait
	if eval.Wait > 0 {
		b.timeWait[eval.ID] = time.AfterFunc(eval.Wait, func() {
			b.enqueueWaiting(eval)
		})
		return
	}

	b.enqueueLocked(eval)
}

// enqueueWaiting is used to enqueue a waiting evaluation
func (b *EvalBroker) enqueueWaiting(eval *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	if _, ok := b.timeWait[eval.ID]; !ok || !b.enabled {
		return
	}
	delete(b.timeWait, eval.ID)
	b.enqueueLocked(eval)
}

// enqueueLocked is used to enqueue with the lock held
func (b *EvalBroker) enqueueLocked(eval *Evaluation) {
	// Check if there is an evaluation for this JobID pending
	pendingEval := b.jobEvals[eval.JobID]
	if pendingEval == "" {
		b.jobEvals[eval.JobID] = eval.ID
	} else if pendingEval != eval.ID {
		blocked := b.blocked[eval.JobID]
		heap.Push(&blocked, eval)
		b.blocked[eval.JobID] = blocked
		return
	}

	// Push onto the heap
	pending := b.ready[eval.Type]
	heap.Push(&pending, eval)
	b.ready[eval.Type] = pending

	// Unblock any blocked dequeues
	b.wakeLocked()
}

// Dequeue is used to perform a blocking dequeue
func (b *EvalBroker) Dequeue(schedulers []string, timeout time.Duration) (*Evaluation, string, error) {
	timeoutTimer := time.NewTimer(timeout)
	defer timeoutTimer.Stop()
	for {
		// Scan for work
		eval, token, waitCh, err := b.scanForSchedulers(schedulers)
		if err != nil || eval != nil {
			return eval, token, err
		}

		// Block until we get work
		select {
		case <-waitCh:
		case <-timeoutTimer.C:
			return nil, "", nil
		}
	}
}

// scanForSchedulers scans for work on any of the schedulers. The highest priority work
// is dequeued first. This may return nothing if there is no work waiting.
func (b *EvalBroker) scanForSchedulers(schedulers []string) (*Evaluation, string, <-chan struct{}, error) {
	b.l.Lock()
	defer b.l.Unlock()

	// Do nothing if not enabled
	if !b.enabled {
		return nil, "", nil, errBrokerDisabled
	}

	// Scan for eligible work
	var best *Evaluation
	for _, sched := range schedulers {
		// Peek at the next item
		ready := b.ready[sched].Peek()
		if ready != nil && (best == nil || ready.Priority > best.Priority) {
			best = ready
		}
	}
	if best == nil {
		// No work to do!
		return nil, "", b.waitCh, nil
	}
	eval, token := b.dequeueForSched(best.Type)
	return eval, token, nil, nil
}

// dequeueForSched is used to dequeue the next work item for a given scheduler.
// This assumes locks are held and that this scheduler has work
func (b *EvalBroker) dequeueForSched(sched string) (*Evaluation, string) {
	// Get the pending queue
	pending := b.ready[sched]
	eval := heap.Pop(&pending).(*Evaluation)
	b.ready[sched] = pending

	// Generate a UUID for the token
	token := rand.Text()

	// Setup Nack timer
	nackTimer := time.AfterFunc(b.nackTimeout, func() {
		b.Nack(eval.ID, token)
	})

	// Add to the unack queue
	b.unack[eval.ID] = &unackEval{Eval: eval, Token: token, NackTimer: nackTimer}

	// Increment the dequeue count
	b.evals[eval.ID] += 1
	return eval, token
}

// Ack is used to positively acknowledge handling an evaluation
func (b *EvalBroker) Ack(evalID, token string) error {
	b.l.Lock()
	defer b.l.Unlock()

	// Lookup the unack'd eval
	unack, ok := b.unack[evalID]
	if !ok {
		return ErrNotOutstanding
	}
	if unack.Token != token {
		return ErrTokenMismatch
	}
	jobID := unack.Eval.JobID

	// Ensure we were able to stop the timer
	if !unack.NackTimer.Stop() {
		return fmt.Errorf("Evaluation ID Ack'd after Nack timer expiration")
	}

	// Cleanup
	delete(b.unack, evalID)
	delete(b.evals, evalID)
	delete(b.jobEvals, jobID)

	// Check if there are any blocked evaluations
	if blocked := b.blocked[jobID]; len(blocked) != 0 {
		eval := heap.Pop(&blocked).(*Evaluation)
		if len(blocked) > 0 {
			b.blocked[jobID] = blocked
		} else {
			delete(b.blocked, jobID)
		}
		b.enqueueLocked(eval)
	}
	return nil
}

// Nack is used to negatively acknowledge handling an evaluation
func (b *EvalBroker) Nack(evalID, token string) error {
	b.l.Lock()
	defer b.l.Unlock()

	// Lookup the unack'd eval
	unack, ok := b.unack[evalID]
	if !ok {
		return ErrNotOutstanding
	}
	if unack.Token != token {
		return ErrTokenMismatch
	}

	// Stop the timer, doesn't matter if we've missed it
	unack.NackTimer.Stop()
	delete(b.unack, evalID)
	b.enqueueLocked(unack.Eval)
	return nil
}

// Len is for the sorting interface
func (p PendingEvaluations) Len() int { return len(p) }

// Less is for the sorting interface. We flip the check
// so that the "min" in the min-heap is the element with the
// highest priority
func (p PendingEvaluations) Less(i, j int) bool {
	if p[i].Priority != p[j].Priority {
		return p[i].Priority > p[j].Priority
	}
	return p[i].CreateIndex < p[j].CreateIndex
}

// Swap is for the sorting interface
func (p PendingEvaluations) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

// Push is used to add a new evalution to the slice
func (p *PendingEvaluations) Push(e interface{}) { *p = append(*p, e.(*Evaluation)) }

// Pop is used to remove an evaluation from the slice
func (p *PendingEvaluations) Pop() interface{} {
	n := len(*p)
	e := (*p)[n-1]
	(*p)[n-1] = nil
	*p = (*p)[:n-1]
	return e
}

// Peek is used to peek at the next element that would be popped
func (p PendingEvaluations) Peek() *Evaluation {
	if len(p) == 0 {
		return nil
	}
	return p[0]
}
