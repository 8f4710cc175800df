// Package producer sends records to a broker and reports the outcome of each
// one to a callback, exactly once.
package producer

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrClosed is the outcome of records that were pending at Close.
	ErrClosed = errors.New("producer: closed")
	// ErrTimeout is the outcome of records that were not acknowledged.
	ErrTimeout = errors.New("producer: no acknowledgement")
)

// Ack is what the broker says about a record. Some acknowledgements only tell
// how many replicas have it so far.
type Ack struct {
	ID       uint64
	Replicas int
	Final    bool
	Offset   int64
}

// Conn is a connection to a broker. Send may be called concurrently, Recv fails
// once the connection is closed.
type Conn interface {
	Send(id uint64, record []byte) error
	Recv() (Ack, error)
	Close() error
}

type pending struct {
	done     func(offset int64, err error)
	replicas atomic.Int64
}

// Producer may be used by any number of goroutines.
type Producer struct {
	conn    Conn
	timeout time.Duration
	lastID  atomic.Uint64
	closed  atomic.Bool
	pending sync.Map // uint64 -> *pending
}

// New returns a producer that reads the acknowledgements of conn.
func New(conn Conn, timeout time.Duration) *Producer {
	p := &Producer{conn: conn, timeout: timeout}
	go p.receive()
	return p
}

// Send sends a record; done is told how it went.
func (p *Producer) Send(record []byte, done func(offset int64, err error)) {
	id := p.lastID.Add(1)
	p.pending.Store(id, &pending{done: done})

	// shutdown sets closed before it goes through the map, so if it is not set
	// here, shutdown will come across the record.
	if p.closed.Load() {
		p.finish(id, 0, ErrClosed)
		return
	}
	// The timer is not stopped, it finds nothing if the record is finished with.
	time.AfterFunc(p.timeout, func() { p.finish(id, 0, ErrTimeout) })
	if err := p.conn.Send(id, record); err != nil {
		p.finish(id, 0, err)
	}
}

// finish reports the outcome of a record, if nobody else has.
func (p *Producer) finish(id uint64, offset int64, err error) {
	v, ok := p.pending.LoadAndDelete(id)
	if !ok {
		return
	}
	v.(*pending).done(offset, err)
}

func (p *Producer) receive() {
	for {
		a, err := p.conn.Recv()
		if err != nil {
			p.shutdown(err)
			return
		}
		v, ok := p.pending.Load(a.ID)
		if !ok {
			continue // timed out
		}
		v.(*pending).replicas.Store(int64(a.Replicas))
		if a.Final {
			p.finish(a.ID, a.Offset, nil)
		}
	}
}

// shutdown ends what is pending. It may be called more than once.
func (p *Producer) shutdown(err error) {
	p.closed.Store(true)
	p.pending.Range(func(k, _ any) bool {
		p.finish(k.(uint64), 0, err)
		return true
	})
}

// Weakest returns the smallest number of replicas that any pending record has,
// for monitoring, and false if none is pending.
func (p *Producer) Weakest() (n int64, ok bool) {
	p.pending.Range(func(_, v any) bool {
		if r := v.(*pending).replicas.Load(); !ok || r < n {
			n, ok = r, true
		}
		return true
	})
	return n, ok
}

// Close closes the connection and ends what is pending.
func (p *Producer) Close() error {
	p.shutdown(ErrClosed)
	return p.conn.Close()
}
