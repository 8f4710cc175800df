// Package telemetry ships frames to a collector over a connection that comes
// and goes. While the collector is away or slow the newest frames are kept.
package telemetry

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

const maxBatch = 64

// Dialer connects to the collector.
type Dialer func(ctx context.Context) (net.Conn, error)

// Outbox is a bounded queue of frames. Push may be called concurrently.
//
// Frames stay in the queue until they have been written, so that those of a
// failed write are sent again on the next connection.
type Outbox struct {
	dial  Dialer
	limit int
	kick  chan struct{}

	mu    sync.Mutex
	queue [][]byte
}

// NewOutbox starts an outbox for at most limit frames (at least one) that runs
// until ctx is done.
func NewOutbox(ctx context.Context, dial Dialer, limit int) *Outbox {
	o := &Outbox{dial: dial, limit: limit, kick: make(chan struct{}, 1)}
	go o.run(ctx)
	return o
}

// Push queues a frame. If the queue is full the oldest frame makes room.
func (o *Outbox) Push(frame []byte) {
	o.mu.Lock()
	if len(o.queue) == o.limit {
		o.queue = slices.Delete(o.queue, 0, 1)
	}
	o.queue = append(o.queue, frame)
	o.mu.Unlock()
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

// Len returns the number of frames not yet written.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

func (o *Outbox) run(ctx context.Context) {
	for ctx.Err() == nil {
		conn, err := o.dial(ctx)
		if err == nil {
			err = o.serve(ctx, conn)
			conn.Close()
		}
		slog.Warn("collector unavailable", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// serve uses one connection until it fails.
func (o *Outbox) serve(ctx context.Context, conn net.Conn) error {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	for {
		if err := o.flush(conn); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.kick:
		}
	}
}

// flush writes until the queue is empty.
func (o *Outbox) flush(w io.Writer) error {
	for {
		o.mu.Lock()
		batch := slices.Clone(o.queue[:min(len(o.queue), maxBatch)])
		o.mu.Unlock()
		if len(batch) == 0 {
			return nil
		}
		if err := writeBatch(w, batch); err != nil {
			return err
		}
		o.mu.Lock()
		o.queue = slices.Delete(o.queue, 0, len(batch))
		o.mu.Unlock()
	}
}

// writeBatch writes length-prefixed frames.
func writeBatch(w io.Writer, frames [][]byte) error {
	var buf []byte
	for _, f := range frames {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(f)))
		buf = append(buf, f...)
	}
	_, err := w.Write(buf)
	return err
}
