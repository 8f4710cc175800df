package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Scan is one article read by a handheld scanner.
type Scan struct {
	Article string
	Count   int
}

// Warehouse reads the scans of one building. Scans returns after the last
// call of emit.
type Warehouse interface {
	Scans(ctx context.Context, emit func(Scan)) error
}

// Ledger is the bookkeeping side.
type Ledger interface {
	Booked(ctx context.Context, article string) (int, error)
}

type tally struct {
	mu      sync.Mutex
	counted map[string]int
	diffs   map[string]int
}

func newTally() *tally {
	return &tally{counted: make(map[string]int), diffs: make(map[string]int)}
}

func (t *tally) add(s Scan) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted[s.Article] += s.Count
}

func (t *tally) articles() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]string, 0, len(t.counted))
	for a := range t.counted {
		out = append(out, a)
	}
	return out
}

func (t *tally) count(article string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counted[article]
}

func (t *tally) setDiff(article string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.diffs[article] = n
}

// Take counts all warehouses and returns the articles whose count differs
// from the books.
func Take(ctx context.Context, ws []Warehouse, books Ledger) (map[string]int, error) {
	t := newTally()
	errs := make([]error, len(ws))

	var counting sync.WaitGroup
	for i, w := range ws {
		counting.Add(1)
		go func() {
			defer counting.Done()
			if err := w.Scans(ctx, t.add); err != nil {
				errs[i] = fmt.Errorf("warehouse %d: %w", i, err)
			}
		}()
	}
	counting.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}

	articles := make(chan string)
	failed := make([]error, 4)
	var comparing sync.WaitGroup
	for i := range failed {
		comparing.Add(1)
		go func() {
			defer comparing.Done()
			for a := range articles {
				if err := compare(ctx, t, books, a); err != nil {
					failed[i] = err
				}
			}
		}()
	}
	for _, a := range t.articles() {
		articles <- a
	}
	close(articles)
	comparing.Wait()
	return t.diffs, errors.Join(failed...)
}

func compare(ctx context.Context, t *tally, books Ledger, article string) error {
	have := t.count(article)
	if have == 0 {
		return nil
	}
	want, err := books.Booked(ctx, article)
	if err != nil {
		return fmt.Errorf("%s: %w", article, err)
	}
	if have != want {
		t.setDiff(article, have-want)
	}
	return nil
}
