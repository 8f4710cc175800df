// Package tariff holds the prices of a ferry line. Prices come from a file
// that is read again now and then, and from corrections the office makes.
package tariff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// ErrNoFare is returned for a passage that has no price.
var ErrNoFare = errors.New("tariff: no such fare")

// Passage is what a price is for.
type Passage string

// Source opens the price file.
type Source func() (io.ReadCloser, error)

// table is a set of prices in cents. It does not change once in force.
type table struct {
	fares     map[Passage]int
	corrected map[Passage]bool // set by the office, the file does not count
	version   int
}

// Tariff holds the prices in force. It is safe for concurrent use. Quotes are
// many and must not wait for the file.
type Tariff struct {
	open Source
	log  *slog.Logger

	change sync.Mutex // held from beginning to end by those who change prices

	mu  sync.RWMutex // guards cur for a moment
	cur *table
}

// New returns a tariff with the prices of the source.
func New(open Source, log *slog.Logger) (*Tariff, error) {
	t := &Tariff{open: open, log: log, cur: &table{}}
	if err := t.Reload(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Tariff) current() *table {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.cur
}

func (t *Tariff) install(next *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cur = next
}

// Fare returns the price of a passage.
func (t *Tariff) Fare(p Passage) (int, error) {
	cents, ok := t.current().fares[p]
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrNoFare, p)
	}
	return cents, nil
}

// Quote returns the price of several passages, all from the same version.
func (t *Tariff) Quote(ps ...Passage) (total, version int, err error) {
	tab := t.current()
	for _, p := range ps {
		cents, ok := tab.fares[p]
		if !ok {
			return 0, 0, fmt.Errorf("%w: %s", ErrNoFare, p)
		}
		total += cents
	}
	return total, tab.version, nil
}

// Reload reads the file. Prices corrected by the office stay as they are.
func (t *Tariff) Reload() error {
	t.change.Lock()
	defer t.change.Unlock()
	old := t.current()
	fares, err := t.read()
	if err != nil {
		return err
	}
	for p := range old.corrected {
		fares[p] = old.fares[p]
	}
	t.install(&table{fares: fares, corrected: old.corrected, version: old.version + 1})
	return nil
}

// Correct sets the price of a passage, from now on and against the file.
func (t *Tariff) Correct(p Passage, cents int) error {
	if cents < 0 {
		return errors.New("tariff: negative fare")
	}
	t.change.Lock()
	defer t.change.Unlock()
	old := t.current()
	next := &table{
		fares:     maps.Clone(old.fares),
		corrected: make(map[Passage]bool, len(old.corrected)+1),
		version:   old.version + 1,
	}
	maps.Copy(next.corrected, old.corrected)
	next.fares[p] = cents
	next.corrected[p] = true
	t.install(next)
	return nil
}

func (t *Tariff) read() (map[Passage]int, error) {
	f, err := t.open()
	if err != nil {
		return nil, fmt.Errorf("tariff: %w", err)
	}
	defer f.Close()
	fares := make(map[Passage]int)
	if err := json.NewDecoder(f).Decode(&fares); err != nil {
		return nil, fmt.Errorf("tariff: %w", err)
	}
	if fares == nil {
		return nil, errors.New("tariff: file is empty")
	}
	return fares, nil
}

// Refresh reloads once every interval until ctx ends.
func (t *Tariff) Refresh(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := t.Reload(); err != nil {
				t.log.Warn("prices not reloaded", "err", err)
			}
		}
	}
}
