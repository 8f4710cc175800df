package a

import (
	"context"
	"sync"
	"sync/atomic"
)

// ChargeFunc bills an account and returns the transaction.
type ChargeFunc func(ctx context.Context, account string, cents int64) (string, error)

type attempt struct {
	once sync.Once
	tx   string
	err  error
}

// Ledger charges once per idempotency key. A failed charge frees its key, so
// that the client may try again.
type Ledger struct {
	charge   ChargeFunc
	attempts sync.Map // key -> *attempt
	calls    atomic.Int64
	replays  atomic.Int64
}

func NewLedger(charge ChargeFunc) *Ledger {
	return &Ledger{charge: charge}
}

func (l *Ledger) attempt(key string) *attempt {
	if v, ok := l.attempts.Load(key); ok {
		return v.(*attempt)
	}
	v, _ := l.attempts.LoadOrStore(key, new(attempt))
	return v.(*attempt)
}

// Charge returns the transaction of the key. Requests which come in while the
// first one is under way share its outcome.
func (l *Ledger) Charge(ctx context.Context, key, account string, cents int64) (string, error) {
	a := l.attempt(key)
	first := false
	a.once.Do(func() {
		first = true
		l.calls.Add(1)
		a.tx, a.err = l.charge(context.WithoutCancel(ctx), account, cents)
		if a.err != nil {
			l.attempts.CompareAndDelete(key, a)
		}
	})
	if !first {
		l.replays.Add(1)
	}
	return a.tx, a.err
}

// Stats returns the number of calls to the processor and of replays.
func (l *Ledger) Stats() (calls, replays int64) {
	return l.calls.Load(), l.replays.Load()
}
