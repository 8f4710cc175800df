// Package payout sends the payouts of merchants to the bank.
package payout

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

// Errors returned by the queue.
var (
	ErrDuplicate = errors.New("payout: duplicate id")
	ErrNotFound  = errors.New("payout: not found")
	ErrTooLate   = errors.New("payout: already on its way")
	ErrDeclined  = errors.New("payout: declined")
)

// Status is where a payout is in its life.
type Status int

// Statuses.
const (
	Queued Status = iota
	Sending
	Paid
	Declined
	Cancelled
)

// Payout is an order to pay a merchant.
type Payout struct {
	ID     string
	IBAN   string
	Cents  int64
	Status Status
	Tries  int
}

// Bank executes payouts. It returns ErrDeclined if a payout will never be
// executed; any other error means that it was not executed and may be tried
// again.
type Bank interface {
	Transfer(ctx context.Context, id, iban string, cents int64) error
}

// Queue holds the payouts. The API handlers add and cancel, the workers
// started by Run send.
type Queue struct {
	bank Bank

	mu      sync.Mutex
	payouts map[string]*Payout
	queued  []string // may hold ids that have been cancelled
}

// NewQueue returns an empty queue.
func NewQueue(bank Bank) *Queue {
	return &Queue{bank: bank, payouts: make(map[string]*Payout)}
}

// Add queues a payout.
func (q *Queue) Add(id, iban string, cents int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.payouts[id]; ok {
		return ErrDuplicate
	}
	q.payouts[id] = &Payout{ID: id, IBAN: iban, Cents: cents}
	q.queued = append(q.queued, id)
	return nil
}

// Cancel takes back a payout that no worker has begun to send.
func (q *Queue) Cancel(id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	p, ok := q.payouts[id]
	if !ok {
		return ErrNotFound
	}
	if p.Status != Queued {
		return ErrTooLate
	}
	p.Status = Cancelled
	return nil
}

// Get returns a copy of a payout.
func (q *Queue) Get(id string) (Payout, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p, ok := q.payouts[id]
	if !ok {
		return Payout{}, ErrNotFound
	}
	return *p, nil
}

// Run sends payouts with several workers until ctx ends.
func (q *Queue) Run(ctx context.Context, workers int, pause time.Duration) {
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				if q.sendOne(ctx) {
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		}()
	}
	wg.Wait()
}

// sendOne sends the next payout. It returns false if there was nothing to do
// or the bank could not be reached.
func (q *Queue) sendOne(ctx context.Context) bool {
	p, ok := q.begin()
	if !ok {
		return false
	}
	err := q.bank.Transfer(ctx, p.ID, p.IBAN, p.Cents)
	switch {
	case err == nil:
		q.end(p.ID, Paid)
	case errors.Is(err, ErrDeclined):
		q.end(p.ID, Declined)
	default:
		log.Printf("payout: %s: try %d: %v", p.ID, p.Tries, err)
		q.requeue(p.ID)
	}
	return err == nil || errors.Is(err, ErrDeclined)
}

// begin takes the next payout off the queue.
func (q *Queue) begin() (Payout, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queued) > 0 {
		id := q.queued[0]
		q.queued = q.queued[1:]
		p := q.payouts[id]
		if p.Status != Queued {
			continue
		}
		p.Status = Sending
		p.Tries++
		return *p, true
	}
	return Payout{}, false
}

// end records the outcome of a payout.
func (q *Queue) end(id string, s Status) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.payouts[id].Status = s
}

// requeue lets a payout be tried again.
func (q *Queue) requeue(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.payouts[id].Status = Queued
	q.queued = append(q.queued, id)
}
