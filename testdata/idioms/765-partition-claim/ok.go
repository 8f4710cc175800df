// Package partlog stores keyed records in partitions and compacts them.
package partlog

import (
	"errors"
	"hash/fnv"
	"slices"
	"sync"
)

// ErrCompacting is returned when a partition is already being compacted.
var ErrCompacting = errors.New("partlog: compaction in progress")

// Record is one update of a key.
type Record struct {
	Offset int64
	Key    string
	Value  []byte
}

type chunk []Record

type partition struct {
	mu         sync.Mutex
	next       int64
	active     chunk
	sealed     []chunk // oldest first
	compacting bool
}

// Log is a set of partitions.
type Log struct {
	parts    []*partition
	sealSize int
}

// New returns a log of n partitions whose chunks have sealSize records.
func New(n, sealSize int) *Log {
	l := &Log{sealSize: sealSize}
	for range n {
		l.parts = append(l.parts, &partition{})
	}
	return l
}

// Append adds a record and returns its partition and offset.
func (l *Log) Append(key string, val []byte) (int, int64) {
	h := fnv.New32a()
	h.Write([]byte(key))
	i := int(h.Sum32() % uint32(len(l.parts)))
	p := l.parts[i]

	p.mu.Lock()
	defer p.mu.Unlock()
	off := p.next
	p.next++
	p.active = append(p.active, Record{Offset: off, Key: key, Value: slices.Clone(val)})
	if len(p.active) >= l.sealSize {
		p.sealed = append(p.sealed, p.active)
		p.active = nil
	}
	return i, off
}

// Read returns the retained records of partition i from offset on.
func (l *Log) Read(i int, from int64) []Record {
	p := l.parts[i]
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Record
	for _, c := range p.sealed {
		out = appendFrom(out, c, from)
	}
	return appendFrom(out, p.active, from)
}

// Compact keeps only the newest sealed record of each key in partition i.
func (l *Log) Compact(i int) error {
	p := l.parts[i]
	p.mu.Lock()
	if p.compacting {
		p.mu.Unlock()
		return ErrCompacting
	}
	p.compacting = true
	inputs := slices.Clone(p.sealed)
	p.mu.Unlock()

	merged := squash(inputs)

	p.mu.Lock()
	defer p.mu.Unlock()
	p.compacting = false
	if len(inputs) > 1 {
		tail := p.sealed[len(inputs):]
		p.sealed = append([]chunk{merged}, tail...)
	}
	return nil
}

// Reset drops all sealed records of partition i.
func (l *Log) Reset(i int) error {
	p := l.parts[i]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.compacting {
		return ErrCompacting
	}
	p.sealed = nil
	return nil
}

func squash(inputs []chunk) chunk {
	newest := make(map[string]int64)
	for _, c := range inputs {
		for _, r := range c {
			newest[r.Key] = r.Offset
		}
	}
	var out chunk
	for _, c := range inputs {
		for _, r := range c {
			if newest[r.Key] == r.Offset {
				out = append(out, r)
			}
		}
	}
	return out
}

func appendFrom(out []Record, c chunk, from int64) []Record {
	for _, r := range c {
		if r.Offset >= from {
			out = append(out, r)
		}
	}
	return out
}
