// Package outbox buffers encoded metric lines between the collectors of an
// agent and its upstream connection.
package outbox

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by Send after Close.
var ErrClosed = errors.New("outbox: closed")

// Stats describes an outbox at one moment.
type Stats struct {
	Lines   int // lines waiting to be picked up by the writer
	Pending int // bytes accepted and not yet handed to the sink
}

// Outbox is a bounded buffer in front of a slow sink. Collectors call Send
// from any number of goroutines; a single writer goroutine drains the buffer
// in batches. The memory an outbox holds on to is bounded by its limit: Send
// blocks while the pending bytes would exceed it.
type Outbox struct {
	sink  io.Writer
	limit int

	mu      sync.Mutex
	changed *sync.Cond // signalled whenever lines, pending or closed change
	lines   [][]byte
	pending int
	closed  bool

	written atomic.Uint64
	dropped atomic.Uint64
	stopped chan struct{}
}

// New returns an outbox that writes to sink and starts its writer.
func New(sink io.Writer, limit int) *Outbox {
	o := &Outbox{sink: sink, limit: limit, stopped: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// Send queues a copy of line. It blocks while the outbox is full; a line
// longer than the limit is accepted once the outbox is empty.
func (o *Outbox) Send(line []byte) error {
	buf := append([]byte(nil), line...)
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && o.pending > 0 && o.pending+len(buf) > o.limit {
		o.changed.Wait()
	}
	if o.closed {
		return ErrClosed
	}
	o.lines = append(o.lines, buf)
	o.pending += len(buf)
	o.changed.Broadcast()
	return nil
}

// Flush blocks until nothing is pending any more.
func (o *Outbox) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.pending > 0 {
		o.changed.Wait()
	}
}

// Stats returns the current fill of the outbox.
func (o *Outbox) Stats() Stats {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Stats{Lines: len(o.lines), Pending: o.pending}
}

// Written returns the number of bytes the sink has accepted.
func (o *Outbox) Written() uint64 { return o.written.Load() }

// Dropped returns the number of lines the sink has refused.
func (o *Outbox) Dropped() uint64 { return o.dropped.Load() }

// Close refuses further lines, writes what is queued and stops the writer.
func (o *Outbox) Close() {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	<-o.stopped
}

// run is the writer goroutine.
func (o *Outbox) run() {
	defer close(o.stopped)
	for {
		batch := o.take()
		if batch == nil {
			return
		}
		o.write(batch)
		o.settle()
	}
}

// take waits for lines and removes them from the queue. It returns nil when
// the outbox is closed and empty.
func (o *Outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) == 0 {
		if o.closed {
			return nil
		}
		o.changed.Wait()
	}
	batch := o.lines
	o.lines = nil
	return batch
}

// write hands a batch to the sink, line by line. A line that the sink refuses
// is counted and skipped.
func (o *Outbox) write(batch [][]byte) {
	for _, line := range batch {
		n, err := o.sink.Write(line)
		o.written.Add(uint64(n))
		if err != nil {
			o.dropped.Add(1)
		}
	}
}

// settle releases the budget of the batch just written and lets blocked
// senders continue.
func (o *Outbox) settle() {
	o.mu.Lock()
	o.pending = 0
	o.changed.Broadcast()
	o.mu.Unlock()
}
