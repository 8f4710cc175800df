// Package logship is the part of the node agent that ships log lines to the
// collector through a bounded in-memory spool.
package logship

import (
	"context"
	"sync"
	"time"
)

// Record is one spooled line.
type Record struct {
	Seq  uint64
	Line []byte
}

// Spool is a bounded queue. When it is full the oldest record makes room for
// the newest one. It is safe for concurrent use.
type Spool struct {
	mu      sync.Mutex
	filled  *sync.Cond
	recs    []Record
	limit   int
	lastSeq uint64
	evicted uint64
	closed  bool
}

// NewSpool returns a spool of at most limit records.
func NewSpool(limit int) *Spool {
	if limit < 1 {
		limit = 1
	}
	s := &Spool{limit: limit}
	s.filled = sync.NewCond(&s.mu)
	return s
}

// Append queues a line. It never blocks.
func (s *Spool) Append(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if len(s.recs) >= s.limit {
		s.recs = s.recs[1:]
		s.evicted++
	}
	s.lastSeq++
	s.recs = append(s.recs, Record{Seq: s.lastSeq, Line: append([]byte(nil), line...)})
	s.filled.Signal()
}

// Evicted returns how many records left the spool by overflow.
func (s *Spool) Evicted() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.evicted
}

// Close ends the spool; what is queued can still be shipped.
func (s *Spool) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.filled.Broadcast()
}

// head waits for the oldest record and returns it. It reports false when the
// spool is closed and empty.
func (s *Spool) head() (Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.recs) == 0 && !s.closed {
		s.filled.Wait()
	}
	if len(s.recs) == 0 {
		return Record{}, false
	}
	return s.recs[0], true
}

// ack removes the oldest record if it is the one numbered seq; it may have been
// evicted in the meantime.
func (s *Spool) ack(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recs) > 0 && s.recs[0].Seq == seq {
		s.recs = s.recs[1:]
	}
}

// Collector is the remote end.
type Collector interface {
	Send(ctx context.Context, line []byte) error
}

// Shipper moves records from the spool to the collector, at least once each.
type Shipper struct {
	spool *Spool
	to    Collector
	retry time.Duration
}

// NewShipper returns a shipper for spool.
func NewShipper(spool *Spool, to Collector, retry time.Duration) *Shipper {
	return &Shipper{spool: spool, to: to, retry: retry}
}

// Run ships until the spool is closed and empty, or ctx ends while a record is
// on its way. A spool has exactly one running shipper.
func (sh *Shipper) Run(ctx context.Context) error {
	for {
		rec, ok := sh.spool.head()
		if !ok {
			return nil
		}
		if err := sh.deliver(ctx, rec); err != nil {
			return err
		}
		sh.spool.ack(rec.Seq)
	}
}

// deliver repeats the send until the collector takes the record.
func (sh *Shipper) deliver(ctx context.Context, rec Record) error {
	for {
		if err := sh.to.Send(ctx, rec.Line); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sh.retry):
		}
	}
}
