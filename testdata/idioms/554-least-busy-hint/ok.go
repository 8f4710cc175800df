// Package fetch gets blocks from whichever replica is least busy.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrNoReplica is returned when no replica could deliver a block.
var ErrNoReplica = errors.New("no replica has the block")

// Replica is a place blocks can be had from. It orders and limits the requests
// it gets by itself.
type Replica interface {
	ID() string
	Get(ctx context.Context, block int) ([]byte, error)
}

// activity counts the requests under way for each replica.
type activity struct {
	mu  sync.Mutex
	act map[string]int
}

// leastBusy returns the index of the candidate with the fewest requests, or -1
// if there are no candidates.
func (a *activity) leastBusy(candidates []Replica) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	best, low := -1, 0
	for i, c := range candidates {
		if n := a.act[c.ID()]; best < 0 || n < low {
			best, low = i, n
		}
	}
	return best
}

func (a *activity) begin(r Replica) {
	a.mu.Lock()
	a.act[r.ID()]++
	a.mu.Unlock()
}

func (a *activity) end(r Replica) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.act[r.ID()]--
	if a.act[r.ID()] == 0 {
		delete(a.act, r.ID())
	}
}

// Fetcher spreads requests over the replicas.
type Fetcher struct {
	activity activity

	mu       sync.RWMutex
	replicas []Replica
}

// New returns a fetcher for the given replicas.
func New(replicas ...Replica) *Fetcher {
	return &Fetcher{
		activity: activity{act: make(map[string]int)},
		replicas: slices.Clone(replicas),
	}
}

// SetReplicas exchanges the replicas. Requests under way are not affected.
func (f *Fetcher) SetReplicas(replicas []Replica) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replicas = slices.Clone(replicas)
}

func (f *Fetcher) available() []Replica {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Clone(f.replicas)
}

// Block returns a block, trying the replicas until one has it.
func (f *Fetcher) Block(ctx context.Context, block int) ([]byte, error) {
	candidates := f.available()
	lastErr := ErrNoReplica
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := f.activity.leastBusy(candidates)
		if i < 0 {
			return nil, lastErr
		}
		r := candidates[i]
		candidates = slices.Delete(candidates, i, i+1)

		f.activity.begin(r)
		data, err := r.Get(ctx, block)
		f.activity.end(r)
		if err == nil {
			return data, nil
		}
		lastErr = fmt.Errorf("replica %s: %w", r.ID(), err)
	}
}

// Blocks returns n blocks, fetched by the given number of goroutines.
func (f *Fetcher) Blocks(ctx context.Context, n, workers int) ([][]byte, error) {
	out := make([][]byte, n)
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				out[i], errs[i] = f.Block(ctx, i)
			}
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return out, errors.Join(errs...)
}
