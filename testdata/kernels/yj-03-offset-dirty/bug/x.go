// Package consumer tracks and commits the offsets of a consumer group member.
package consumer

import (
	"context"
	"sync"
	"time"
)

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// OffsetEntry is one line of a commit request.
type OffsetEntry struct {
	Offset   int64
	Metadata string
}

// Coordinator is the broker side of the group protocol.
type Coordinator interface {
	CommitOffsets(ctx context.Context, group string, req map[TopicPartition]OffsetEntry) (map[TopicPartition]error, error)
}

type partitionOffset struct {
	tp TopicPartition

	mu       sync.Mutex
	offset   int64
	metadata string
	dirty    bool
}

func (p *partitionOffset) mark(offset int64, metadata string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if offset > p.offset {
		p.offset = offset
		p.metadata = metadata
		p.dirty = true
	}
}

func (p *partitionOffset) pending() (OffsetEntry, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return OffsetEntry{Offset: p.offset, Metadata: p.metadata}, p.dirty
}

func (p *partitionOffset) committed(e OffsetEntry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty = false
}

// OffsetManager commits marked offsets in the background.
type OffsetManager struct {
	group string
	coord Coordinator

	mu    sync.RWMutex
	parts map[TopicPartition]*partitionOffset

	flushMu sync.Mutex // one commit request on the wire at a time

	closing chan struct{}
	done    chan struct{}
}

// NewOffsetManager starts a manager that commits every interval.
func NewOffsetManager(group string, coord Coordinator, interval time.Duration) *OffsetManager {
	m := &OffsetManager{
		group:   group,
		coord:   coord,
		parts:   make(map[TopicPartition]*partitionOffset),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	go m.loop(interval)
	return m
}

// Manage adds a partition that was assigned to us at its committed offset.
func (m *OffsetManager) Manage(tp TopicPartition, start int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.parts[tp]; !ok {
		m.parts[tp] = &partitionOffset{tp: tp, offset: start}
	}
}

// Mark records that everything before offset was processed.
func (m *OffsetManager) Mark(tp TopicPartition, offset int64, metadata string) {
	m.mu.RLock()
	p := m.parts[tp]
	m.mu.RUnlock()
	if p != nil {
		p.mark(offset, metadata)
	}
}

// Commit sends all marked offsets that the broker does not have.
func (m *OffsetManager) Commit(ctx context.Context) error {
	m.flushMu.Lock()
	defer m.flushMu.Unlock()

	req := make(map[TopicPartition]OffsetEntry)
	sent := make(map[TopicPartition]*partitionOffset)
	m.mu.RLock()
	for tp, p := range m.parts {
		if e, dirty := p.pending(); dirty {
			req[tp] = e
			sent[tp] = p
		}
	}
	m.mu.RUnlock()
	if len(req) == 0 {
		return nil
	}

	failed, err := m.coord.CommitOffsets(ctx, m.group, req)
	if err != nil {
		return err
	}
	var first error
	for tp, p := range sent {
		if perr := failed[tp]; perr != nil {
			if first == nil {
				first = perr
			}
			continue
		}
		p.committed(req[tp])
	}
	return first
}

func (m *OffsetManager) loop(interval time.Duration) {
	defer close(m.done)
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			// Errors are retried at the next tick, the offsets stay dirty.
			_ = m.Commit(context.Background())
		case <-m.closing:
			return
		}
	}
}

// Close commits what is left. It must be called once.
func (m *OffsetManager) Close(ctx context.Context) error {
	close(m.closing)
	<-m.done
	return m.Commit(ctx)
}
