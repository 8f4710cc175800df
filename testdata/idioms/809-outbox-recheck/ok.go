// Package outbox ships audit lines to a collector in the background.
package outbox

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

// ErrFull is returned by Add while the collector does not keep up.
var ErrFull = errors.New("outbox: full")

// batchLen is how many lines are shipped at a time.
const batchLen = 100

// Collector takes lines.
type Collector interface {
	Ship(lines []string) error
}

// spool holds the lines that wait.
type spool struct {
	mu    sync.Mutex
	limit int
	lines []string
}

func (s *spool) push(line string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) >= s.limit {
		return false
	}
	s.lines = append(s.lines, line)
	return true
}

// take removes up to n lines from the front.
func (s *spool) take(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(s.lines))
	batch := append([]string(nil), s.lines[:n]...)
	s.lines = s.lines[n:]
	if len(s.lines) == 0 {
		s.lines = nil
	}
	return batch
}

func (s *spool) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines) == 0
}

// Outbox ships lines in the order in which they were added. No goroutine runs
// while there is nothing to ship. It is safe for concurrent use.
type Outbox struct {
	to      Collector
	spool   spool
	busy    atomic.Bool
	shipped atomic.Int64
	dropped atomic.Int64
}

// New returns an Outbox in which up to limit lines may wait.
func New(to Collector, limit int) *Outbox {
	return &Outbox{to: to, spool: spool{limit: limit}}
}

// Add puts a line in the outbox.
func (o *Outbox) Add(line string) error {
	if !o.spool.push(line) {
		return ErrFull
	}
	if o.busy.CompareAndSwap(false, true) {
		go o.ship()
	}
	return nil
}

// ship works the outbox off.
func (o *Outbox) ship() {
	for {
		o.drain()
		o.busy.Store(false)
		if o.spool.empty() || !o.busy.CompareAndSwap(false, true) {
			return
		}
	}
}

// drain ships until nothing is left. A batch the collector does not take is
// dropped.
func (o *Outbox) drain() {
	for {
		batch := o.spool.take(batchLen)
		if len(batch) == 0 {
			return
		}
		if err := o.to.Ship(batch); err != nil {
			o.dropped.Add(int64(len(batch)))
			log.Printf("outbox: %d lines dropped: %v", len(batch), err)
			continue
		}
		o.shipped.Add(int64(len(batch)))
	}
}

// Shipped returns how many lines the collector took.
func (o *Outbox) Shipped() int64 { return o.shipped.Load() }

// Dropped returns how many lines the collector did not take.
func (o *Outbox) Dropped() int64 { return o.dropped.Load() }
