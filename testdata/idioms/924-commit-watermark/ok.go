// Package eventlog is the broker side of a partition: an append-only log, the
// acknowledgements of its replicas, and delivery to consumers up to the offset
// that a quorum has.
package eventlog

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrUnknownReplica is returned for an acknowledgement by a stranger.
var ErrUnknownReplica = errors.New("eventlog: unknown replica")

// Record is one event. It is not modified after it has been appended.
type Record struct {
	Offset int64
	Key    string
	Value  []byte
}

// segment stores the records of a partition from offset 0 on. Records are never
// changed, and stay for as long as the partition is open.
type segment struct {
	mu      sync.RWMutex
	records []Record
}

func (s *segment) append(key string, value []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	off := int64(len(s.records))
	s.records = append(s.records, Record{Offset: off, Key: key, Value: value})
	return off
}

// end returns the offset behind the last record.
func (s *segment) end() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return int64(len(s.records))
}

// slice copies the records from offset lo up to, but not including, hi.
func (s *segment) slice(lo, hi int64) []Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.records[lo:hi])
}

// quorum turns the acknowledgements of the replicas into a commit offset.
type quorum struct {
	committed atomic.Int64 // written with mu held

	mu    sync.Mutex
	acked map[string]int64
}

func (q *quorum) ack(replica string, end int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	have, ok := q.acked[replica]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownReplica, replica)
	}
	if end <= have {
		return nil
	}
	q.acked[replica] = end
	ends := make([]int64, 0, len(q.acked))
	for _, e := range q.acked {
		ends = append(ends, e)
	}
	slices.Sort(ends)
	// All from this position on, a majority, have at least this much.
	if c := ends[(len(ends)-1)/2]; c > q.committed.Load() {
		q.committed.Store(c)
	}
	return nil
}

// Partition is safe for concurrent use by producers, replicas and consumers.
type Partition struct {
	log    segment
	quorum quorum
}

// Open returns an empty partition that is kept by the given replicas, at least one.
func Open(replicas ...string) (*Partition, error) {
	if len(replicas) == 0 {
		return nil, errors.New("eventlog: no replicas")
	}
	p := &Partition{}
	p.quorum.acked = make(map[string]int64, len(replicas))
	for _, r := range replicas {
		p.quorum.acked[r] = 0
	}
	return p, nil
}

// Produce appends a record. Consumers see it when it is committed.
func (p *Partition) Produce(key string, value []byte) int64 {
	return p.log.append(key, value)
}

// Replicate returns up to limit records, from offset off on, for a replica.
func (p *Partition) Replicate(off int64, limit int) ([]Record, error) {
	end := p.log.end()
	if off < 0 || off > end {
		return nil, fmt.Errorf("eventlog: replica at offset %d of %d", off, end)
	}
	return p.log.slice(off, off+min(end-off, int64(max(0, limit)))), nil
}

// Ack is called when a replica has stored everything below end.
func (p *Partition) Ack(replica string, end int64) error {
	if have := p.log.end(); end > have {
		return fmt.Errorf("eventlog: replica %s acknowledges %d of %d", replica, end, have)
	}
	return p.quorum.ack(replica, end)
}

// Committed returns the offset below which all records are committed.
func (p *Partition) Committed() int64 { return p.quorum.committed.Load() }

// Consume returns up to limit committed records from offset off on.
func (p *Partition) Consume(off int64, limit int) ([]Record, error) {
	if off < 0 {
		return nil, fmt.Errorf("eventlog: bad offset %d", off)
	}
	hi := p.Committed()
	if off >= hi {
		return nil, nil
	}
	return p.log.slice(off, off+min(hi-off, int64(max(0, limit)))), nil
}
