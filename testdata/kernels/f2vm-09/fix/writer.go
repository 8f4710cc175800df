// Package fix collects batches in memory and writes them in the background.
package fix

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// ErrSealed is returned after the table was closed.
var ErrSealed = errors.New("table is closed")

const maxBatchesInMemory = 32

type batch struct {
	data    []byte
	created time.Time
}

// out serialises what the workers write.
type out struct {
	mu     sync.Mutex
	w      io.WriteCloser
	closed bool
	lost   atomic.Uint64
}

func (o *out) write(bs []*batch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range bs {
		if o.closed {
			o.lost.Add(1)
			continue
		}
		if _, err := o.w.Write(b.data); err != nil {
			o.lost.Add(1)
		}
	}
}

func (o *out) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.w.Close()
}

// Table is a set of batches.
type Table struct {
	dst *out

	// wg counts the workers. Add is called with mu held and stop open.
	wg   sync.WaitGroup
	stop chan struct{}

	mu      sync.Mutex
	batches []*batch
	workers int
	sealed  bool
}

// NewTable returns a table that writes to w.
func NewTable(w io.WriteCloser) *Table {
	t := &Table{dst: &out{w: w}, stop: make(chan struct{})}
	t.wg.Add(1)
	go func() {
		defer t.wg.Done()
		t.kick()
	}()
	return t
}

// kick makes sure that old batches do not stay in memory.
func (t *Table) kick() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for !stopped(t.stop) {
		select {
		case <-t.stop:
		case now := <-tick.C:
			t.mu.Lock()
			if len(t.batches) > 0 && now.Sub(t.batches[0].created) > time.Second {
				t.startWorkerLocked()
			}
			t.mu.Unlock()
		}
	}
}

// Append adds one batch.
func (t *Table) Append(data []byte) error {
	b := &batch{data: append([]byte(nil), data...), created: time.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sealed {
		return ErrSealed
	}
	t.batches = append(t.batches, b)
	t.startWorkerLocked()
	return nil
}

// Pending returns the number of batches in memory.
func (t *Table) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.batches)
}

func (t *Table) startWorkerLocked() {
	if stopped(t.stop) {
		return
	}
	if t.workers >= runtime.GOMAXPROCS(0) {
		return
	}
	t.workers++
	t.wg.Add(1)
	go func() {
		t.work()
		t.wg.Done()
	}()
}

// work writes batches until nothing is left to do.
func (t *Table) work() {
	for {
		bs := t.nextBatches()
		if len(bs) == 0 {
			return
		}
		t.dst.write(bs)
	}
}

// nextBatches returns nothing if the worker has to end.
func (t *Table) nextBatches() []*batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.batches) == 0 {
		t.workers--
		return nil
	}
	n := min(len(t.batches), maxBatchesInMemory)
	bs := t.batches[:n:n]
	t.batches = t.batches[n:]
	return bs
}

func stopped(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// Close waits for the workers, writes the rest and closes the writer.
func (t *Table) Close() error {
	t.mu.Lock()
	close(t.stop)
	t.mu.Unlock()
	t.wg.Wait()

	t.mu.Lock()
	t.sealed = true
	rest := t.batches
	t.batches = nil
	t.mu.Unlock()

	t.dst.write(rest)
	return t.dst.close()
}
