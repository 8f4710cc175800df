// Package wallet is the replica of a canteen's card balances. A log of
// transactions arrives in order from the head office; the tills read the
// balances here.
package wallet

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrGap is returned for a transaction that is not the next one.
var ErrGap = errors.New("wallet: transactions are missing")

// Txn is an entry of the log. Index counts from 1 without holes.
type Txn struct {
	Index uint64
	Card  string
	Cents int64 // added to the balance
}

// Balance is the state of a card. Index is that of the last transaction that
// touched it, 0 for a card never used.
type Balance struct {
	Cents int64
	Index uint64
}

// Replica holds the balances. It is safe for concurrent use.
type Replica struct {
	mu       sync.RWMutex
	applied  uint64        // only grows
	advanced chan struct{} // closed when applied grows
	balances map[string]Balance
}

// NewReplica returns a replica that has applied nothing.
func NewReplica() *Replica {
	return &Replica{advanced: make(chan struct{}), balances: make(map[string]Balance)}
}

// Apply works in a transaction. Those that have been applied before are
// ignored, as the feed repeats some after a reconnect.
func (r *Replica) Apply(t Txn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.Index <= r.applied {
		return nil
	}
	if t.Index != r.applied+1 {
		return fmt.Errorf("%w: have %d, got %d", ErrGap, r.applied, t.Index)
	}
	b := r.balances[t.Card]
	r.balances[t.Card] = Balance{Cents: b.Cents + t.Cents, Index: t.Index}
	r.applied = t.Index
	close(r.advanced)
	r.advanced = make(chan struct{})
	return nil
}

// Feed applies transactions until the channel is closed.
func (r *Replica) Feed(in <-chan Txn) error {
	for t := range in {
		if err := r.Apply(t); err != nil {
			return err
		}
	}
	return nil
}

// progress returns how far the replica is, and a channel that is closed when
// it gets further.
func (r *Replica) progress() (uint64, <-chan struct{}) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.applied, r.advanced
}

// await returns when the replica has applied the transaction with the index.
func (r *Replica) await(ctx context.Context, index uint64) error {
	for {
		applied, further := r.progress()
		if applied >= index {
			return nil
		}
		select {
		case <-further:
		case <-ctx.Done():
			return fmt.Errorf("wallet: at %d, waiting for %d: %w", applied, index, ctx.Err())
		}
	}
}

func (r *Replica) balance(card string) Balance {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.balances[card]
}

// Read returns the balance of a card with at least all transactions up to the
// index worked in. A till passes the index of the transaction that the head
// office has confirmed to it, to see its own writes.
func (r *Replica) Read(ctx context.Context, card string, index uint64) (Balance, error) {
	if err := r.await(ctx, index); err != nil {
		return Balance{}, err
	}
	return r.balance(card), nil
}

// Total returns the sum of all balances together with the index of the
// transaction after which it was the sum.
func (r *Replica) Total() (cents int64, index uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, b := range r.balances {
		cents += b.Cents
	}
	return cents, r.applied
}
