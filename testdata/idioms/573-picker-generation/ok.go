// Package ok waits for connections that can take calls.
package ok

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Errors of pickers.
var (
	ErrNoConn  = errors.New("picker: no connection is available")
	ErrClosing = errors.New("picker: closing")
)

// Conn takes calls.
type Conn interface {
	Ready() bool
}

// Picker chooses a connection. Its result does not change.
type Picker interface {
	Pick(method string) (Conn, error)
}

// generation is a picker and the channel that is closed when there is a newer
// one.
type generation struct {
	picker     Picker
	blockingCh chan struct{}
}

// Wrapper holds the current picker. It is safe for concurrent use.
type Wrapper struct {
	cur atomic.Pointer[generation] // nil after Close

	mu sync.Mutex // held by Update and Close
}

// New returns a wrapper without a picker.
func New() *Wrapper {
	w := new(Wrapper)
	w.cur.Store(&generation{blockingCh: make(chan struct{})})
	return w
}

// Update replaces the picker.
func (w *Wrapper) Update(p Picker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.cur.Load()
	if old == nil {
		return
	}
	w.cur.Store(&generation{picker: p, blockingCh: make(chan struct{})})
	close(old.blockingCh)
}

// Close makes all calls fail.
func (w *Wrapper) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := w.cur.Load(); old != nil {
		w.cur.Store(nil)
		close(old.blockingCh)
	}
}

// Pick returns a connection. It blocks while there is none.
func (w *Wrapper) Pick(ctx context.Context, method string) (Conn, error) {
	var wait <-chan struct{}
	for {
		g := w.cur.Load()
		if g == nil {
			return nil, ErrClosing
		}
		if g.picker == nil || g.blockingCh == wait {
			// There is no picker, or this one has been asked already.
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-g.blockingCh:
			}
			continue
		}
		wait = g.blockingCh
		c, err := g.picker.Pick(method)
		switch {
		case err == ErrNoConn:
			continue
		case err != nil:
			return nil, err
		}
		// The connection may be lost at any time, even after this, and then
		// its call fails and is made again.
		if c.Ready() {
			return c, nil
		}
	}
}
