package a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrTooBusy tells the client to come back later.
var ErrTooBusy = errors.New("rpc: call queue is full")

// Call is a decoded request.
type Call struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	size int64
}

// CallQueue holds requests, up to a total of bytes, until a handler takes them.
type CallQueue struct {
	maxBytes int64
	calls    chan *Call

	queued   atomic.Int64
	rejected atomic.Int64
	handled  atomic.Int64
}

// NewCallQueue returns a queue for at most depth calls and maxBytes bytes.
func NewCallQueue(depth int, maxBytes int64) *CallQueue {
	return &CallQueue{
		maxBytes: maxBytes,
		calls:    make(chan *Call, depth),
	}
}

// Submit decodes the frame of one request and queues it.
func (q *CallQueue) Submit(ctx context.Context, frame []byte) error {
	size := int64(len(frame))
	if q.queued.Add(size) > q.maxBytes {
		q.queued.Add(-size)
		q.rejected.Add(1)
		return ErrTooBusy
	}
	c := &Call{size: size}
	if err := json.Unmarshal(frame, c); err != nil {
		q.queued.Add(-size)
		return fmt.Errorf("rpc: bad frame: %w", err)
	}
	select {
	case q.calls <- c:
		return nil
	case <-ctx.Done():
		q.queued.Add(-size)
		return ctx.Err()
	}
}

// Run handles calls until ctx is done.
func (q *CallQueue) Run(ctx context.Context, handle func(*Call)) error {
	for {
		select {
		case c := <-q.calls:
			handle(c)
			q.queued.Add(-c.size)
			q.handled.Add(1)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stats is a reading of the queue's counters.
type Stats struct {
	Bytes    int64
	Rejected int64
	Handled  int64
}

// Stats reads the counters for the metrics page.
func (q *CallQueue) Stats() Stats {
	return Stats{
		Bytes:    q.queued.Load(),
		Rejected: q.rejected.Load(),
		Handled:  q.handled.Load(),
	}
}
