package nomad

import (
	"container/heap"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

var (
	// ErrNotOutstanding is returned if an evaluation is not outstanding
	ErrNotOutstanding = errors.New("evaluation is not outstanding")

	// ErrTokenMismatch is the outstanding eval has a different token
	ErrTokenMismatch = errors.New("evaluation token does not match")
)

// Evaluation is a unit of work for a scheduler.
type Evaluation struct {
	ID       string
	Priority int
}

// EvalBroker is used to manage brokering of evaluations.
//
// The broker must provide at-least-once delivery semantics. It relies on explicit
// Ack/Nack messages to handle this. If a delivery is not Ack'd in a sufficient time
// span, it will be assumed Nack'd.
type EvalBroker struct {
	nackTimeout   time.Duration
	deliveryLimit int

	enabled bool
	stats   BrokerStats

	// evals tracks queued evaluations by ID to de-duplicate enqueue.
	// The counter is the number of times we've attempted delivery,
	// and is used to eventually fail an evaluation.
	evals map[string]int

	// ready tracks the ready evaluations in a priority queue
	ready PendingEvaluations

	// failed are the evaluations that were delivered too often
	failed []*Evaluation

	// unack is a map of evalID to an un-acknowledged evaluation
	unack map[string]*unackEval

	l sync.RWMutex
}

// BrokerStats returns all the stats about the broker
type BrokerStats struct {
	TotalReady   int
	TotalUnacked int
}

// unackEval tracks an unacknowledged evaluation along with the Nack timer
type unackEval struct {
	Eval      *Evaluation
	Token     string
	NackTimer *time.Timer
}

// PendingEvaluations is a list of ready evaluations.
type PendingEvaluations []*Evaluation

func (p PendingEvaluations) Len() int           { return len(p) }
func (p PendingEvaluations) Less(i, j int) bool { return p[i].Priority > p[j].Priority }
func (p PendingEvaluations) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *PendingEvaluations) Push(e any)        { *p = append(*p, e.(*Evaluation)) }
func (p *PendingEvaluations) Pop() any {
	n := len(*p)
	e := (*p)[n-1]
	*p = (*p)[:n-1]
	return e
}

// NewEvalBroker creates a new evaluation broker.
func NewEvalBroker(timeout time.Duration, deliveryLimit int) *EvalBroker {
	return &EvalBroker{
		nackTimeout:   timeout,
		deliveryLimit: deliveryLimit,
		evals:         make(map[string]int),
		unack:         make(map[string]*unackEval),
	}
}

// SetEnabled is used to control if the broker is enabled. The broker
// should only be enabled on the active leader.
func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	defer b.l.Unlock()
	b.enabled = enabled
	if !enabled {
		b.flush()
	}
}

// Enqueue is used to enqueue a new evaluation
func (b *EvalBroker) Enqueue(eval *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	if !b.enabled {
		return
	}
	// Check if already enqueued
	if _, ok := b.evals[eval.ID]; ok {
		return
	}
	b.evals[eval.ID] = 0
	b.enqueueLocked(eval)
}

func (b *EvalBroker) enqueueLocked(eval *Evaluation) {
	heap.Push(&b.ready, eval)
	b.stats.TotalReady++
}

// Dequeue hands out the evaluation with the highest priority, or nil.
func (b *EvalBroker) Dequeue() (*Evaluation, string) {
	b.l.Lock()
	defer b.l.Unlock()
	if !b.enabled || len(b.ready) == 0 {
		return nil, ""
	}
	eval := heap.Pop(&b.ready).(*Evaluation)

	// Generate a UUID for the token
	token := generateUUID()

	// Setup Nack timer
	nackTimer := time.AfterFunc(b.nackTimeout, func() {
		b.Nack(eval.ID, token)
	})

	// Add to the unack queue
	b.unack[eval.ID] = &unackEval{
		Eval:      eval,
		Token:     token,
		NackTimer: nackTimer,
	}

	// Increment the dequeue count
	b.evals[eval.ID]++
	b.stats.TotalReady--
	b.stats.TotalUnacked++
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

	// Ensure we were able to stop the timer
	unack.NackTimer.Stop()

	// Cleanup
	b.stats.TotalUnacked--
	delete(b.unack, evalID)
	delete(b.evals, evalID)
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

	// Cleanup
	delete(b.unack, evalID)
	b.stats.TotalUnacked--

	// Check if we've hit the delivery limit, and re-enqueue if not
	if b.evals[evalID] >= b.deliveryLimit {
		b.failed = append(b.failed, unack.Eval)
	} else {
		b.enqueueLocked(unack.Eval)
	}
	return nil
}

// flush is used to clear the state of the broker. It must be called from within
// the lock.
func (b *EvalBroker) flush() {
	for _, unack := range b.unack {
		unack.NackTimer.Stop()
	}
	b.stats = BrokerStats{}
	b.evals = make(map[string]int)
	b.ready = nil
	b.failed = nil
	b.unack = make(map[string]*unackEval)
}

func generateUUID() string {
	buf := make([]byte, 16)
	rand.Read(buf)
	return hex.EncodeToString(buf)
}
