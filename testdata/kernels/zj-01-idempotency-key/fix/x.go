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
	// ErrInProgress is returned to a retry that overtakes the first call.
	ErrInProgress = errors.New("charge: request in progress")
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
	pending  map[string]struct{} // keys being charged
}

// New returns a Gateway that remembers receipts for ttl.
func New(proc Processor, ttl time.Duration) *Gateway {
	return &Gateway{
		proc:     proc,
		ttl:      ttl,
		receipts: make(map[string]record),
		pending:  make(map[string]struct{}),
	}
}

// Charge charges the account once per idempotency key. A retry gets the
// receipt of the first call.
func (g *Gateway) Charge(ctx context.Context, req Request) (Receipt, error) {
	if req.Key == "" || req.Amount <= 0 {
		return Receipt{}, ErrInvalid
	}
	rec, ok, err := g.claim(req.Key)
	if err != nil {
		return Receipt{}, err
	}
	if ok {
		if rec.fingerprint != req.fingerprint() {
			return Receipt{}, ErrKeyReused
		}
		return rec.receipt, nil
	}
	defer g.release(req.Key)

	ref, err := g.proc.Authorize(ctx, req.Account, req.Amount, req.Currency)
	if err != nil {
		return Receipt{}, fmt.Errorf("charge: authorize: %w", err)
	}
	r := Receipt{Ref: ref, Amount: req.Amount, At: time.Now()}
	g.remember(req.Key, record{receipt: r, fingerprint: req.fingerprint()})
	return r, nil
}

// claim returns the record of the key or else reserves the key for the caller,
// who must release it.
func (g *Gateway) claim(key string) (record, bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if rec, ok := g.receipts[key]; ok {
		return rec, true, nil
	}
	if _, busy := g.pending[key]; busy {
		return record{}, false, ErrInProgress
	}
	g.pending[key] = struct{}{}
	return record{}, false, nil
}

func (g *Gateway) release(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.pending, key)
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
