// Package charge makes the payments of a shop. Clients send an idempotency key
// with each request, so that a repeated request does not pay twice.
package charge

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Errors returned by Charge.
var (
	ErrKeyReused = errors.New("charge: key was used for another request")
	ErrUnclear   = errors.New("charge: outcome of the payment is not known")
	// ErrRejected is returned by a Gateway for payments that certainly did
	// not happen and may be tried again.
	ErrRejected = errors.New("charge: gateway rejected the request")
)

// Request is a payment to be made.
type Request struct {
	Account string
	Cents   int64
}

// Receipt is the outcome of a payment.
type Receipt struct {
	ID   string
	Paid time.Time
}

// Gateway talks to the bank.
type Gateway interface {
	Charge(ctx context.Context, r Request) (Receipt, error)
}

// entry stands for one payment. The fields after done are written by the
// goroutine that makes the payment, before it closes done.
type entry struct {
	req  Request
	done chan struct{}

	receipt  Receipt
	err      error
	finished time.Time
}

// Service is safe for concurrent use.
type Service struct {
	gateway Gateway
	retain  time.Duration
	entries sync.Map // key string -> *entry
}

// New starts a service that remembers outcomes for the time given.
func New(ctx context.Context, g Gateway, retain time.Duration) *Service {
	s := &Service{gateway: g, retain: retain}
	go s.expire(ctx)
	return s
}

// Charge makes a payment, or returns the outcome of the one that was made with
// the same key.
func (s *Service) Charge(ctx context.Context, key string, req Request) (Receipt, error) {
	v, ok := s.entries.Load(key)
	if !ok {
		e := &entry{req: req, done: make(chan struct{}), err: ErrUnclear}
		if v, ok = s.entries.LoadOrStore(key, e); !ok {
			s.pay(context.WithoutCancel(ctx), key, e)
			return e.receipt, e.err
		}
	}
	e := v.(*entry)
	if e.req != req {
		return Receipt{}, ErrKeyReused
	}
	select {
	case <-e.done:
		return e.receipt, e.err
	case <-ctx.Done():
		return Receipt{}, ctx.Err()
	}
}

// pay makes the payment of an entry that the caller has put into the map.
func (s *Service) pay(ctx context.Context, key string, e *entry) {
	defer close(e.done)
	defer func() { e.finished = time.Now() }()
	receipt, err := s.gateway.Charge(ctx, e.req)
	switch {
	case err == nil:
		e.receipt, e.err = receipt, nil
	case errors.Is(err, ErrRejected):
		// Those who wait now get the error; the next one tries again.
		e.err = err
		s.entries.CompareAndDelete(key, e)
	default:
		e.err = errors.Join(ErrUnclear, err)
	}
}

func (s *Service) expire(ctx context.Context) {
	t := time.NewTicker(s.retain / 10)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			s.entries.Range(func(k, v any) bool {
				e := v.(*entry)
				select {
				case <-e.done:
					if now.Sub(e.finished) > s.retain {
						s.entries.CompareAndDelete(k, e)
					}
				default:
				}
				return true
			})
		}
	}
}
