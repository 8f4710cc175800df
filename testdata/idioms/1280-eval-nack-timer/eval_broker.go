package nomad

import (
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

	// ErrNackTimeoutReached is returned if an evaluation is already
	// being timed out
	ErrNackTimeoutReached = errors.New("evaluation nack timeout reached")
)

// unackEval tracks an unacknowledged evaluation along with the Nack timer
type unackEval struct {
	Eval      string
	Token     string
	NackTimer *time.Timer
}

// EvalBroker is used to manage brokering of evaluations. When an evaluation is
// created, due to a change in a job specification or a node, we put it into the
// broker. At least once delivery: an evaluation that is not acknowledged is
// handed out again.
type EvalBroker struct {
	nackTimeout   time.Duration
	deliveryLimit int

	enabled bool

	// evals tracks queued evaluations by ID to de-duplicate enqueue.
	// The counter is the number of times we've attempted delivery,
	// and is used to eventually fail an evaluation.
	evals map[string]int

	// ready tracks the ready jobs
	ready []string

	// failed are the evaluations that reached the delivery limit
	failed []string

	// unack is a map of evalID to an un-acknowledged evaluation
	unack map[string]*unackEval

	l sync.RWMutex
}

// NewEvalBroker creates a new evaluation broker.
func NewEvalBroker(timeout time.Duration, deliveryLimit int) *EvalBroker {
	return &EvalBroker{
		nackTimeout:   timeout,
		deliveryLimit: deliveryLimit,
		enabled:       true,
		evals:         make(map[string]int),
		unack:         make(map[string]*unackEval),
	}
}

// Enqueue is used to enqueue a new evaluation
func (b *EvalBroker) Enqueue(eval string) {
	b.l.Lock()
	defer b.l.Unlock()
	if !b.enabled {
		return
	}
	// Check if already enqueued
	if _, ok := b.evals[eval]; ok {
		return
	}
	b.evals[eval] = 0
	b.ready = append(b.ready, eval)
}

// Dequeue hands out the next evaluation with the token to ack it.
func (b *EvalBroker) Dequeue() (string, string, bool) {
	b.l.Lock()
	defer b.l.Unlock()
	if !b.enabled || len(b.ready) == 0 {
		return "", "", false
	}
	eval := b.ready[0]
	b.ready = b.ready[1:]

	// Generate a UUID for the token
	token := generateUUID()

	// Setup Nack timer
	nackTimer := time.AfterFunc(b.nackTimeout, func() {
		b.Nack(eval, token)
	})

	// Mark as unacked
	b.unack[eval] = &unackEval{
		Eval:      eval,
		Token:     token,
		NackTimer: nackTimer,
	}

	// Increment the dequeue count
	b.evals[eval] += 1
	return eval, token, true
}

// Outstanding checks if an EvalID has been delivered but not acknowledged
// and returns the associated token for the evaluation.
func (b *EvalBroker) Outstanding(evalID string) (string, bool) {
	b.l.RLock()
	defer b.l.RUnlock()
	unack, ok := b.unack[evalID]
	if !ok {
		return "", false
	}
	return unack.Token, true
}

// OutstandingReset resets the Nack timer for the EvalID if the
// token matches and the eval is outstanding
func (b *EvalBroker) OutstandingReset(evalID, token string) error {
	b.l.RLock()
	defer b.l.RUnlock()
	unack, ok := b.unack[evalID]
	if !ok {
		return ErrNotOutstanding
	}
	if unack.Token != token {
		return ErrTokenMismatch
	}
	if !unack.NackTimer.Reset(b.nackTimeout) {
		return ErrNackTimeoutReached
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
		return ErrNotOutstanding
	}
	if unack.Token != token {
		return ErrTokenMismatch
	}

	// Ensure we were able to stop the timer
	if !unack.NackTimer.Stop() {
		return ErrNackTimeoutReached
	}

	// Cleanup
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

	// Check if we've hit the delivery limit, and re-enqueue
	// in the failed queue
	if b.evals[evalID] >= b.deliveryLimit {
		delete(b.evals, evalID)
		b.failed = append(b.failed, evalID)
	} else {
		b.ready = append(b.ready, evalID)
	}
	return nil
}

// SetEnabled is used to control if the broker is enabled. The broker
// should only be enabled on the active leader.
func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	defer b.l.Unlock()
	b.enabled = enabled
	if enabled {
		return
	}
	// Flush
	for _, unack := range b.unack {
		unack.NackTimer.Stop()
	}
	b.ready, b.failed = nil, nil
	b.evals = make(map[string]int)
	b.unack = make(map[string]*unackEval)
}

func generateUUID() string {
	var buf [16]byte
	_, _ = rand.Read(buf[:])
	return hex.EncodeToString(buf[:])
}
