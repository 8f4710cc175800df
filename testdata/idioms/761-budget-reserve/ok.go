// Package budget admits object downloads within a memory budget.
package budget

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrTooLarge is returned for objects that never fit.
var ErrTooLarge = errors.New("budget: object exceeds the budget")

// ErrBusy is returned when the budget is used up.
var ErrBusy = errors.New("budget: no memory available")

// Origin delivers objects.
type Origin interface {
	// Stat returns an upper bound for the size of the object.
	Stat(ctx context.Context, key string) (int64, error)
	Open(ctx context.Context, key string) (io.ReadCloser, error)
}

// Blob is an object in memory.
type Blob struct {
	Data []byte
	done func()
}

// Release returns the memory of b to the budget.
func (b *Blob) Release() { b.done() }

// Fetcher loads objects. It may be used by several goroutines.
type Fetcher struct {
	origin Origin
	total  int64

	mu     sync.Mutex
	used   int64
	loaded int
	failed int
}

// NewFetcher returns a fetcher that keeps at most total bytes in memory.
func NewFetcher(origin Origin, total int64) *Fetcher {
	return &Fetcher{origin: origin, total: total}
}

// Fetch loads key.
func (f *Fetcher) Fetch(ctx context.Context, key string) (*Blob, error) {
	bound, err := f.origin.Stat(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("budget: stat %s: %w", key, err)
	}
	if bound > f.total {
		return nil, ErrTooLarge
	}

	f.mu.Lock()
	if f.used+bound > f.total {
		f.mu.Unlock()
		return nil, ErrBusy
	}
	f.used += bound
	f.mu.Unlock()

	data, err := f.read(ctx, key, bound)
	if err != nil {
		f.mu.Lock()
		f.used -= bound
		f.failed++
		f.mu.Unlock()
		return nil, fmt.Errorf("budget: read %s: %w", key, err)
	}

	size := int64(len(data))
	f.mu.Lock()
	f.used -= bound - size
	f.loaded++
	f.mu.Unlock()

	var once sync.Once
	return &Blob{Data: data, done: func() {
		once.Do(func() { f.giveBack(size) })
	}}, nil
}

func (f *Fetcher) read(ctx context.Context, key string, bound int64) ([]byte, error) {
	rc, err := f.origin.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	data, err := io.ReadAll(io.LimitReader(rc, bound+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > bound {
		return nil, ErrTooLarge
	}
	return data, nil
}

func (f *Fetcher) giveBack(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used -= n
}

// Stats is a snapshot of a fetcher.
type Stats struct {
	Used   int64
	Loaded int
	Failed int
}

// Stats returns the current figures.
func (f *Fetcher) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Stats{Used: f.used, Loaded: f.loaded, Failed: f.failed}
}
