// Package charge is the part of the payment gateway that talks to the
// acquirer and makes retries of a client harmless.
package charge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrKeyReused is returned when a key comes back with other parameters.
	ErrKeyReused = errors.New("charge: idempotency key used for another request")
	// ErrInvalid is returned for requests which cannot be charged at all.
	ErrInvalid = errors.New("charge: invalid request")
)

// Request is one charge as the merchant sends it.
type Request struct {
	Key      string // Idempotency-Key header
	Account  string
	Amount   int64 // minor units
	Currency string
}

func (r Request) fingerprint() string {
	return fmt.Sprintf("%s|%d|%s", r.Account, r.Amount, r.Currency)
}

// Receipt is what the merchant gets back, for the first call and for retries.
type Receipt struct {
	Ref    string
	Amount int64
	At     time.Time
}

// Processor moves the money.
type Processor interface {
	Authorize(ctx context.Context, account string, amount int64, currency string) (ref string, err error)
}

type record struct {
	receipt     Receipt
	fingerprint string
}

// Gateway charges accounts. It is shared by all HTTP handlers.
type Gateway struct {
	proc Processor
	ttl  time.Duration

	mu       sync.Mutex
	receipts map[string]record
}

// New returns a Gateway that remembers receipts for ttl.
func New(proc Processor, ttl time.Duration) *Gateway {
	return &Gateway{
		proc:     proc,
		ttl:      ttl,
		receipts: make(map[string]record),
	}
}

// Charge charges the account once per idempotency key. A retry gets the
// receipt of the first call.
func (g *Gateway) Charge(ctx context.Context, req Request) (Receipt, error) {
	if req.Key == "" || req.Amount <= 0 {
		return Receipt{}, ErrInvalid
	}
	rec, ok := g.lookup(req.Key)
	if ok {
		if rec.fingerprint != req.fingerprint() {
			return Receipt{}, ErrKeyReused
		}
		return rec.receipt, nil
	}

	ref, err := g.proc.Authorize(ctx, req.Account, req.Amount, req.Currency)
	if err != nil {
		return Receipt{}, fmt.Errorf("charge: authorize: %w", err)
	}
	r := Receipt{Ref: ref, Amount: req.Amount, At: time.Now()}
	g.remember(req.Key, record{receipt: r, fingerprint: req.fingerprint()})
	return r, nil
}

func (g *Gateway) lookup(key string) (record, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	rec, ok := g.receipts[key]
	return rec, ok
}

func (g *Gateway) remember(key string, rec record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.receipts[key] = rec
}

// Sweep forgets receipts older than the ttl and returns how many went.
func (g *Gateway) Sweep(now time.Time) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for k, rec := range g.receipts {
		if now.Sub(rec.receipt.At) > g.ttl {
			delete(g.receipts, k)
			n++
		}
	}
	return n
}
