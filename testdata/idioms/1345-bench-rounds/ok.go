// Package ok runs load against a service in rounds and reports each round.
package ok

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Target takes one request.
type Target func(ctx context.Context) error

// Result is the outcome of a round.
type Result struct {
	OK     int
	Failed int
	Spent  time.Duration
}

// tally adds up what the workers see.
type tally struct {
	mu  sync.Mutex
	sum Result
}

func (t *tally) note(err error, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.sum.Failed++
	} else {
		t.sum.OK++
	}
	t.sum.Spent += d
}

func (t *tally) result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

func (t *tally) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum = Result{}
}

// Bench has the workers of one target.
type Bench struct {
	target  Target
	workers int
	report  func(round int, r Result) error

	rounds sync.Mutex // one round at a time
	tally  tally
}

func NewBench(t Target, workers int, report func(int, Result) error) *Bench {
	return &Bench{target: t, workers: workers, report: report}
}

// Progress is what the round that is on has come to.
func (b *Bench) Progress() Result { return b.tally.result() }

// Run makes rounds of n requests each.
func (b *Bench) Run(ctx context.Context, rounds, n int) error {
	b.rounds.Lock()
	defer b.rounds.Unlock()
	for i := range rounds {
		b.round(ctx, n)
		r := b.tally.result()
		b.tally.reset()
		if err := b.report(i, r); err != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return ctx.Err()
}

// round returns when all its workers have come to an end.
func (b *Bench) round(ctx context.Context, n int) {
	work := make(chan struct{})
	var wg sync.WaitGroup
	for range b.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range work {
				start := time.Now()
				b.tally.note(b.target(ctx), time.Since(start))
			}
		}()
	}
	for range n {
		if ctx.Err() != nil {
			break
		}
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
}
