// Package a tails the change log of the order database into a search index.
package a

import (
	"context"
	"sync"
	"time"
)

// Change is an entry of the log.
type Change struct {
	Seq uint64
	Doc []byte
}

// Log and Index are the two ends of the tailer.
type Log interface {
	After(ctx context.Context, seq uint64, max int) ([]Change, error)
}

type Index interface {
	Apply(ctx context.Context, batch []Change) error
}

// Tailer copies changes in one goroutine, which NewTailer starts. Other
// goroutines ask it how far it is.
type Tailer struct {
	log   Log
	index Index
	every time.Duration
	stop  context.CancelFunc
	done  chan struct{}

	mu      sync.RWMutex
	applied uint64 // written by the loop only
	lastErr error  // likewise
}

// NewTailer starts copying after the given sequence number.
func NewTailer(log Log, index Index, from uint64, every time.Duration) *Tailer {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Tailer{
		log:     log,
		index:   index,
		every:   every,
		stop:    cancel,
		done:    make(chan struct{}),
		applied: from,
	}
	go t.loop(ctx)
	return t
}

func (t *Tailer) loop(ctx context.Context) {
	defer close(t.done)
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	for {
		err := t.step(ctx)
		t.mu.Lock()
		t.lastErr = err
		t.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// step copies one batch; only loop calls it.
func (t *Tailer) step(ctx context.Context) error {
	seq := t.Applied()
	batch, err := t.log.After(ctx, seq, 500)
	if err != nil || len(batch) == 0 {
		return err
	}
	if err := t.index.Apply(ctx, batch); err != nil {
		return err
	}
	for _, c := range batch {
		seq = max(seq, c.Seq)
	}
	t.mu.Lock()
	t.applied = seq
	t.mu.Unlock()
	return nil
}

// Applied returns the number of the last change in the index.
func (t *Tailer) Applied() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.applied
}

// Err returns the error of the last step.
func (t *Tailer) Err() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.lastErr
}

// Close ends the loop and waits for it. It may be called more than once.
func (t *Tailer) Close() {
	t.stop()
	<-t.done
}
