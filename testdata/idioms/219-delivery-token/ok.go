// Package ok delivers evaluations to schedulers at least once.
package ok

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

var (
	errNotFound = errors.New("evaluation ID not found")
	errToken    = errors.New("token does not match for evaluation ID")
)

// Evaluation is a piece of work for a scheduler.
type Evaluation struct {
	ID    string
	JobID string
}

// unackEval tracks an unacknowledged evaluation along with the Nack timer
type unackEval struct {
	Eval      *Evaluation
	Token     string
	NackTimer *time.Timer
}

// EvalBroker is used to manage brokering of evaluations.
type EvalBroker struct {
	nackTimeout   time.Duration
	deliveryLimit int

	enabled bool

	// evals tracks queued evaluations by ID to de-duplicate enqueue.
	// The counter is the number of times we've attempted delivery.
	evals map[string]int

	ready  []*Evaluation
	failed []*Evaluation

	// unack is a map of evalID to an un-acknowledged evaluation
	unack map[string]*unackEval

	l sync.RWMutex
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

// SetEnabled is used to control if the broker is enabled.
func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	defer b.l.Unlock()
	b.enabled = enabled
	if enabled {
		return
	}
	for _, unack := range b.unack {
		unack.NackTimer.Stop()
	}
	b.evals = make(map[string]int)
	b.unack = make(map[string]*unackEval)
	b.ready, b.failed = nil, nil
}

// Enqueue is used to enqueue a new evaluation.
func (b *EvalBroker) Enqueue(eval *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	if !b.enabled {
		return
	}
	if _, ok := b.evals[eval.ID]; ok {
		return
	}
	b.evals[eval.ID] = 0
	b.ready = append(b.ready, eval)
}

// Dequeue is used to perform a non-blocking dequeue.
func (b *EvalBroker) Dequeue() (*Evaluation, string) {
	b.l.Lock()
	defer b.l.Unlock()
	if len(b.ready) == 0 {
		return nil, ""
	}
	eval := b.ready[0]
	b.ready = b.ready[1:]

	// Generate a UUID for the token
	token := rand.Text()

	// Setup Nack timer
	nackTimer := time.AfterFunc(b.nackTimeout, func() {
		_ = b.Nack(eval.ID, token)
	})

	// Add to the unack queue
	b.unack[eval.ID] = &unackEval{Eval: eval, Token: token, NackTimer: nackTimer}
	b.evals[eval.ID]++
	return eval, token
}

// OutstandingReset resets the Nack timer for the EvalID if the token matches.
func (b *EvalBroker) OutstandingReset(evalID, token string) error {
	b.l.RLock()
	defer b.l.RUnlock()
	unack, ok := b.unack[evalID]
	if !ok {
		return errNotFound
	}
	if unack.Token != token {
		return errToken
	}
	// A timer that has fired already is about to take the lock in Nack.
	if !unack.NackTimer.Reset(b.nackTimeout) {
		return errors.New("evaluation nack timeout reached")
	}
	return nil
}

// Ack is used to positively acknowledge handling an evaluation
func (b *EvalBroker) Ack(evalID, token string) error {
	b.l.Lock()
	defer b.l.Unlock()

	// Lookup the unack'd eval
	unack, ok := b.unack[evalID]
	if !ok {
		return errNotFound
	}
	if unack.Token != token {
		return errToken
	}
	unack.NackTimer.Stop()
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
		return errNotFound
	}
	if unack.Token != token {
		return errToken
	}

	// Stop the timer, doesn't matter if we've missed it
	unack.NackTimer.Stop()
	delete(b.unack, evalID)

	// Check if we've hit the delivery limit, and re-enqueue
	if b.evals[evalID] >= b.deliveryLimit {
		b.failed = append(b.failed, unack.Eval)
	} else {
		b.ready = append(b.ready, unack.Eval)
	}
	return nil
}

// worker is the goroutine of a scheduler.
func worker(b *EvalBroker, schedule func(*Evaluation) error) error {
	eval, token := b.Dequeue()
	if eval == nil {
		return nil
	}
	if err := schedule(eval); err != nil {
		return b.Nack(eval.ID, token)
	}
	return b.Ack(eval.ID, token)
}
