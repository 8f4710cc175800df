package a

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Gateway talks to the card processor.
type Gateway interface {
	Charge(ctx context.Context, account string, cents int64) (string, error)
}

// Receipt is what the client gets for a charge, also on a retry.
type Receipt struct {
	TxID  string
	Cents int64
	At    time.Time
}

// Processor makes POST /charges safe to retry: requests which carry the same
// idempotency key are run one after the other, and only the first is charged.
type Processor struct {
	gw       Gateway
	ttl      time.Duration
	locks    sync.Map // idempotency key -> *sync.Mutex
	receipts sync.Map // idempotency key -> *Receipt

	charged  atomic.Int64
	replayed atomic.Int64
}

func NewProcessor(gw Gateway, ttl time.Duration) *Processor {
	return &Processor{gw: gw, ttl: ttl}
}

func (p *Processor) keyLock(key string) *sync.Mutex {
	if v, ok := p.locks.Load(key); ok {
		return v.(*sync.Mutex)
	}
	mu := new(sync.Mutex)
	p.locks.Store(key, mu)
	return mu
}

// Charge bills the account once per key.
func (p *Processor) Charge(ctx context.Context, key, account string, cents int64) (*Receipt, error) {
	mu := p.keyLock(key)
	mu.Lock()
	defer mu.Unlock()

	if v, ok := p.receipts.Load(key); ok {
		p.replayed.Add(1)
		return v.(*Receipt), nil
	}
	tx, err := p.gw.Charge(ctx, account, cents)
	if err != nil {
		return nil, fmt.Errorf("charge %s: %w", key, err)
	}
	r := &Receipt{TxID: tx, Cents: cents, At: time.Now()}
	p.receipts.Store(key, r)
	p.charged.Add(1)
	return r, nil
}

// Expire forgets receipts older than the retention period.
func (p *Processor) Expire(now time.Time) int {
	n := 0
	p.receipts.Range(func(k, v any) bool {
		if now.Sub(v.(*Receipt).At) > p.ttl && p.receipts.CompareAndDelete(k, v) {
			n++
		}
		return true
	})
	return n
}

// Run expires receipts until ctx ends.
func (p *Processor) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			p.Expire(now)
		}
	}
}
