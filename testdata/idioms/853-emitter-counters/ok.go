// Package emit is the client side of the metrics pipeline inside a process:
// it takes points without ever blocking the application and sends them in
// datagrams.
package emit

import (
	"context"
	"log"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// Point is one measurement.
type Point struct {
	Name  string
	Value float64
}

// Stats counts what became of the points since the start. The counters are
// for the dashboard; they are sampled one by one while points flow.
type Stats struct {
	Accepted uint64
	Dropped  uint64
	Sent     uint64
	Failed   uint64
}

// Emitter queues points and sends them in the background. It is safe for
// concurrent use.
type Emitter struct {
	conn  net.Conn
	queue chan Point

	accepted atomic.Uint64
	dropped  atomic.Uint64
	sent     atomic.Uint64
	failed   atomic.Uint64

	warned atomic.Int64 // unix seconds of the last warning
}

// New returns an emitter that sends over conn until ctx ends.
func New(ctx context.Context, conn net.Conn, backlog int) *Emitter {
	e := &Emitter{conn: conn, queue: make(chan Point, backlog)}
	go e.run(ctx)
	return e
}

// Emit queues p, or drops it when the queue is full.
func (e *Emitter) Emit(p Point) {
	select {
	case e.queue <- p:
		e.accepted.Add(1)
	default:
		e.dropped.Add(1)
		e.warn()
	}
}

// warn logs that points are dropped, at most once a minute.
func (e *Emitter) warn() {
	now := time.Now().Unix()
	last := e.warned.Load()
	if now-last < 60 {
		return
	}
	if !e.warned.CompareAndSwap(last, now) {
		return
	}
	s := e.Stats()
	log.Printf("emit: queue full: %d dropped so far, %d accepted", s.Dropped, s.Accepted)
}

// Stats returns the counters.
func (e *Emitter) Stats() Stats {
	return Stats{
		Accepted: e.accepted.Load(),
		Dropped:  e.dropped.Load(),
		Sent:     e.sent.Load(),
		Failed:   e.failed.Load(),
	}
}

const maxDatagram = 1200

// run packs points into datagrams. It sends what it has when the queue runs
// empty or the datagram is full.
func (e *Emitter) run(ctx context.Context) {
	buf := make([]byte, 0, maxDatagram+256)
	var held uint64
	for {
		select {
		case p := <-e.queue:
			buf = encode(buf, p)
			held++
		case <-ctx.Done():
			e.send(buf, held)
			return
		}
		if len(buf) >= maxDatagram || len(e.queue) == 0 {
			e.send(buf, held)
			buf, held = buf[:0], 0
		}
	}
}

func encode(buf []byte, p Point) []byte {
	buf = append(buf, p.Name...)
	buf = append(buf, ':')
	buf = strconv.AppendFloat(buf, p.Value, 'g', -1, 64)
	return append(buf, "|g\n"...)
}

func (e *Emitter) send(buf []byte, points uint64) {
	if points == 0 {
		return
	}
	if _, err := e.conn.Write(buf); err != nil {
		e.failed.Add(points)
		return
	}
	e.sent.Add(points)
}
