// Package applier copies the log of a primary into a local store.
package applier

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// ErrGap means that the primary no longer has the entries that are needed.
var ErrGap = errors.New("applier: primary truncated its log")

// Entry is one change.
type Entry struct {
	Index uint64
	Key   string
	Value []byte
}

// Source reads the log of the primary: up to max entries after an index.
type Source interface {
	Read(ctx context.Context, after uint64, max int) ([]Entry, error)
}

// Target is the local store.
type Target interface {
	Write(ctx context.Context, batch []Entry) error
}

// progress is how far the copy got.
type progress struct {
	applied uint64
	batches int
	at      time.Time
}

// Applier copies. Status may be called from anywhere.
type Applier struct {
	src  Source
	dst  Target
	stop context.CancelFunc
	done chan struct{}

	mu  sync.RWMutex
	cur progress
	err error
}

// Start starts to copy the entries after the given index.
func Start(src Source, dst Target, after uint64) *Applier {
	ctx, cancel := context.WithCancel(context.Background())
	a := &Applier{src: src, dst: dst, stop: cancel, done: make(chan struct{})}
	a.cur.applied = after
	go a.run(ctx)
	return a
}

// run is the copy loop.
func (a *Applier) run(ctx context.Context) {
	defer close(a.done)
	for ctx.Err() == nil {
		n, err := a.step(ctx)
		a.note(err)
		if errors.Is(err, ErrGap) {
			return
		}
		if err != nil {
			log.Printf("applier: %v", err)
		}
		if err != nil || n == 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// step copies one batch and returns its length.
func (a *Applier) step(ctx context.Context) (int, error) {
	cur := a.progress()
	batch, err := a.src.Read(ctx, cur.applied, 256)
	if err != nil {
		return 0, fmt.Errorf("read after %d: %w", cur.applied, err)
	}
	if len(batch) == 0 {
		return 0, nil
	}
	if batch[0].Index != cur.applied+1 {
		return 0, fmt.Errorf("wanted %d, got %d: %w", cur.applied+1, batch[0].Index, ErrGap)
	}
	if err := a.dst.Write(ctx, batch); err != nil {
		return 0, fmt.Errorf("write %d: %w", batch[0].Index, err)
	}
	cur.applied += uint64(len(batch))
	cur.batches++
	cur.at = time.Now()
	a.advance(cur)
	return len(batch), nil
}

// progress returns how far the copy got.
func (a *Applier) progress() progress {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.cur
}

// advance sets how far the copy got, after a step that succeeded.
func (a *Applier) advance(p progress) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cur, a.err = p, nil
}

// note keeps the outcome of the last step.
func (a *Applier) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// Status is the state of an Applier.
type Status struct {
	Applied uint64
	Batches int
	At      time.Time
	Err     error // outcome of the last finished step
}

// Status returns the state for the admin page.
func (a *Applier) Status() Status {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return Status{Applied: a.cur.applied, Batches: a.cur.batches, At: a.cur.at, Err: a.err}
}

// Stop ends the copying and waits for the batch under way. It may be called
// more than once.
func (a *Applier) Stop() {
	a.stop()
	<-a.done
}
