// Package task runs a counting stage of a stream topology.
package task

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Record is one input record.
type Record struct {
	Partition int32
	Offset    int64
	Key       string
	Weight    int64
}

// Source delivers the records of one partition in order.
type Source interface {
	Records(ctx context.Context, partition int32, from int64) (<-chan Record, error)
}

type countStore struct {
	mu     sync.Mutex
	counts map[string]int64
}

func (s *countStore) add(key string, n int64) {
	s.mu.Lock()
	s.counts[key] += n
	s.mu.Unlock()
}

func (s *countStore) get(key string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[key]
}

type positions struct {
	mu   sync.Mutex
	next map[int32]int64
}

func (p *positions) advance(partition int32, next int64) {
	p.mu.Lock()
	p.next[partition] = next
	p.mu.Unlock()
}

func (p *positions) of(partition int32) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next[partition]
}

// Snapshot is what a task is restored from: the counts, and the offsets of the
// first records that are not in them.
type Snapshot struct {
	Counts    map[string]int64
	Positions map[int32]int64
}

// Backend stores snapshots.
type Backend interface {
	Save(ctx context.Context, s Snapshot) error
}

// Task counts weights by key over a set of partitions.
type Task struct {
	source  Source
	backend Backend
	store   *countStore
	pos     *positions

	// cut is held shared while a record is applied, and by snapshots.
	cut sync.RWMutex
}

// Restore returns a task that continues from a snapshot.
func Restore(source Source, backend Backend, s Snapshot) *Task {
	t := &Task{
		source:  source,
		backend: backend,
		store:   &countStore{counts: make(map[string]int64)},
		pos:     &positions{next: make(map[int32]int64)},
	}
	maps.Copy(t.store.counts, s.Counts)
	maps.Copy(t.pos.next, s.Positions)
	return t
}

// Count answers interactive queries.
func (t *Task) Count(key string) int64 { return t.store.get(key) }

// Lag returns how far the task is behind the given end offset.
func (t *Task) Lag(partition int32, end int64) int64 {
	return end - t.pos.of(partition)
}

func (t *Task) process(r Record) {
	t.cut.RLock()
	defer t.cut.RUnlock()
	t.store.add(r.Key, r.Weight)
	t.pos.advance(r.Partition, r.Offset+1)
}

func (t *Task) snapshot() Snapshot {
	t.cut.Lock()
	defer t.cut.Unlock()
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	t.pos.mu.Lock()
	defer t.pos.mu.Unlock()
	return Snapshot{
		Counts:    maps.Clone(t.store.counts),
		Positions: maps.Clone(t.pos.next),
	}
}

func (t *Task) checkpointLoop(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// A failed save is made up for by the next one.
			_ = t.backend.Save(ctx, t.snapshot())
		case <-ctx.Done():
			return
		}
	}
}

// Run processes the partitions until ctx ends or the sources are drained.
func (t *Task) Run(ctx context.Context, partitions []int32, every time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for _, p := range partitions {
		in, err := t.source.Records(ctx, p, t.pos.of(p))
		if err != nil {
			cancel()
			wg.Wait()
			return err
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for r := range in {
				t.process(r)
			}
		}()
	}
	loopDone := make(chan struct{})
	go func() {
		defer close(loopDone)
		t.checkpointLoop(ctx, every)
	}()
	wg.Wait()
	cancel()
	<-loopDone
	return t.backend.Save(context.WithoutCancel(ctx), t.snapshot())
}
