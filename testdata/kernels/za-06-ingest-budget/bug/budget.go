// Package ingest bounds the memory that the write path of the time series
// store may hold in blocks that are not yet on disk.
package ingest

import (
	"errors"
	"fmt"
	"sync"
)

// ErrStopped is returned once the store shuts down.
var ErrStopped = errors.New("ingest: stopped")

// Budget is a number of bytes shared by all writers. Writers block in Reserve
// until enough bytes are free.
type Budget struct {
	limit int64

	mu      sync.Mutex
	freed   *sync.Cond
	used    int64
	peak    int64
	stopped bool
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget {
	b := &Budget{limit: limit}
	b.freed = sync.NewCond(&b.mu)
	return b
}

// awaitRoom blocks until n bytes fit into what is left.
func (b *Budget) awaitRoom(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.used+n > b.limit && !b.stopped {
		b.freed.Wait()
	}
	if b.stopped {
		return ErrStopped
	}
	return nil
}

// charge books n bytes.
func (b *Budget) charge(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
	b.peak = max(b.peak, b.used)
}

// Reserve blocks until n bytes are free and books them. The sum of all
// reservations never exceeds the limit.
func (b *Budget) Reserve(n int64) error {
	if n > b.limit {
		return fmt.Errorf("ingest: block of %d bytes exceeds the budget of %d", n, b.limit)
	}
	if err := b.awaitRoom(n); err != nil {
		return err
	}
	b.charge(n)
	return nil
}

// Release gives n bytes back.
func (b *Budget) Release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.freed.Broadcast()
}

// Stop makes every waiting and every later Reserve fail.
func (b *Budget) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.freed.Broadcast()
}

// Peak returns the most bytes that were booked at a time.
func (b *Budget) Peak() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.peak
}

// Block is a run of samples of one series.
type Block struct {
	Series string
	Data   []byte
}

// Sink persists blocks.
type Sink interface {
	Persist(Block) error
}

// Writer takes blocks from connections and persists them with a few workers.
type Writer struct {
	budget *Budget
	sink   Sink
	queue  chan Block
	wg     sync.WaitGroup
	onErr  func(Block, error)
}

// NewWriter starts workers goroutines that persist blocks to sink.
func NewWriter(sink Sink, budget *Budget, workers int, onErr func(Block, error)) *Writer {
	w := &Writer{budget: budget, sink: sink, queue: make(chan Block), onErr: onErr}
	for range workers {
		w.wg.Add(1)
		go w.work()
	}
	return w
}

func (w *Writer) work() {
	defer w.wg.Done()
	for blk := range w.queue {
		if err := w.sink.Persist(blk); err != nil {
			w.onErr(blk, err)
		}
		w.budget.Release(int64(len(blk.Data)))
	}
}

// Write decodes size bytes from a connection with read and queues them. It is
// called by one goroutine per connection.
func (w *Writer) Write(series string, size int, read func([]byte) error) error {
	if err := w.budget.Reserve(int64(size)); err != nil {
		return err
	}
	buf := make([]byte, size)
	if err := read(buf); err != nil {
		w.budget.Release(int64(size))
		return err
	}
	w.queue <- Block{Series: series, Data: buf}
	return nil
}

// Close waits until the queued blocks are persisted. The server has shut its
// connections before, so no Write is running any more.
func (w *Writer) Close() {
	w.budget.Stop()
	close(w.queue)
	w.wg.Wait()
}
