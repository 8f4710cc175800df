package a

import (
	"errors"
	"sync"
	"time"
)

// Errors of the coordinator.
var (
	ErrUnknown  = errors.New("txn: unknown")
	ErrNotReady = errors.New("txn: not ready")
)

type phase int

const (
	open phase = iota
	committing
	committed
	aborted
)

// Journal makes decisions durable.
type Journal interface {
	Record(id, decision string) error
}

type txn struct {
	deadline time.Time

	mu      sync.Mutex
	phase   phase
	pending map[string]bool
}

func (t *txn) vote(node string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.phase != open || !t.pending[node] {
		return false
	}
	delete(t.pending, node)
	return true
}

func (t *txn) beginCommit() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.phase != open || len(t.pending) > 0 {
		return false
	}
	t.phase = committing
	return true
}

func (t *txn) expire(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.phase != open || now.Before(t.deadline) {
		return false
	}
	t.phase = aborted
	return true
}

func (t *txn) enter(p phase) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase = p
}

// Coordinator runs distributed transactions.
type Coordinator struct {
	journal Journal
	timeout time.Duration

	mu   sync.RWMutex
	txns map[string]*txn
}

// NewCoordinator returns a coordinator that gives nodes timeout to vote.
func NewCoordinator(j Journal, timeout time.Duration) *Coordinator {
	return &Coordinator{journal: j, timeout: timeout, txns: make(map[string]*txn)}
}

// Begin starts a transaction with the given nodes.
func (c *Coordinator) Begin(id string, nodes ...string) {
	t := &txn{deadline: time.Now().Add(c.timeout), pending: make(map[string]bool)}
	for _, n := range nodes {
		t.pending[n] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.txns[id] == nil {
		c.txns[id] = t
	}
}

// Prepared records that a node is ready to commit.
func (c *Coordinator) Prepared(id, node string) bool {
	t := c.find(id)
	return t != nil && t.vote(node)
}

// Commit decides a transaction all of whose nodes are prepared.
func (c *Coordinator) Commit(id string) error {
	t := c.find(id)
	if t == nil {
		return ErrUnknown
	}
	if !t.beginCommit() {
		return ErrNotReady
	}
	if err := c.journal.Record(id, "commit"); err != nil {
		t.enter(open)
		return err
	}
	t.enter(committed)
	return nil
}

// Expire aborts the transactions that are out of time.
func (c *Coordinator) Expire(now time.Time) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var errs []error
	for id, t := range c.txns {
		if t.expire(now) {
			errs = append(errs, c.journal.Record(id, "abort"))
		}
	}
	return errors.Join(errs...)
}

func (c *Coordinator) find(id string) *txn {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.txns[id]
}
