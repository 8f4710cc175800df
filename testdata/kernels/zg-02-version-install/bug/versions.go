// Package lsm keeps track of the tables that make up a log-structured store.
// Readers take the current version without a lock; flushes and compactions
// install new ones.
package lsm

import (
	"context"
	"sync"
	"sync/atomic"
)

const numLevels = 5

// Table describes one immutable sorted file.
type Table struct {
	ID       uint64
	Min, Max string
	Bytes    int64
}

// Version is a set of tables. It is never changed once it has been installed.
type Version struct {
	seq    uint64
	levels [numLevels][]Table
}

// Tables returns the tables of one level.
func (v *Version) Tables(level int) []Table { return v.levels[level] }

func (v *Version) clone() *Version {
	c := &Version{seq: v.seq}
	for i, l := range v.levels {
		c.levels[i] = append([]Table(nil), l...)
	}
	return c
}

// pick selects the tables of level and those they overlap in the next one.
func (v *Version) pick(level int) (inputs []Table) {
	inputs = append(inputs, v.levels[level]...)
	for _, low := range v.levels[level+1] {
		for _, up := range v.levels[level] {
			if up.Min <= low.Max && low.Min <= up.Max {
				inputs = append(inputs, low)
				break
			}
		}
	}
	return inputs
}

// replace drops the inputs of a compaction and adds its outputs below level.
func (v *Version) replace(level int, inputs, outputs []Table) {
	gone := make(map[uint64]bool, len(inputs))
	for _, t := range inputs {
		gone[t.ID] = true
	}
	for _, l := range []int{level, level + 1} {
		kept := v.levels[l][:0]
		for _, t := range v.levels[l] {
			if !gone[t.ID] {
				kept = append(kept, t)
			}
		}
		v.levels[l] = kept
	}
	v.levels[level+1] = append(v.levels[level+1], outputs...)
}

// Merger rewrites tables; Manifest makes a version durable.
type (
	Merger interface {
		Merge(ctx context.Context, inputs []Table) ([]Table, error)
	}
	Manifest interface {
		Record(seq uint64, levels [numLevels][]Table) error
	}
)

// Set holds the current version and compacts it in the background.
type Set struct {
	merger   Merger
	manifest Manifest
	fanIn    int
	onError  func(error)

	current atomic.Pointer[Version]
	mu      sync.Mutex // serialises installs

	kick   chan struct{}
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Open starts a set that compacts a level once it has fanIn tables.
func Open(m Merger, mf Manifest, fanIn int, onError func(error)) *Set {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Set{merger: m, manifest: mf, fanIn: fanIn, onError: onError, kick: make(chan struct{}, 1), cancel: cancel}
	s.current.Store(&Version{})
	s.wg.Add(1)
	go s.run(ctx)
	return s
}

// Current returns the version that reads should use.
func (s *Set) Current() *Version { return s.current.Load() }

// AddTable makes a freshly flushed memtable visible.
func (s *Set) AddTable(t Table) error {
	s.mu.Lock()
	next := s.current.Load().clone()
	next.levels[0] = append(next.levels[0], t)
	err := s.install(next)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case s.kick <- struct{}{}:
	default:
	}
	return nil
}

// install records v and makes it current. The caller holds s.mu.
func (s *Set) install(v *Version) error {
	v.seq = s.current.Load().seq + 1
	if err := s.manifest.Record(v.seq, v.levels); err != nil {
		return err
	}
	s.current.Store(v)
	return nil
}

func (s *Set) run(ctx context.Context) {
	defer s.wg.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		}
		for level := 0; level < numLevels-1; level++ {
			if len(s.Current().levels[level]) < s.fanIn {
				continue
			}
			if err := s.compact(ctx, level); err != nil {
				s.onError(err)
				break
			}
		}
	}
}

// compact merges one level into the next. Only the run goroutine compacts.
func (s *Set) compact(ctx context.Context, level int) error {
	v := s.Current()
	inputs := v.pick(level)
	outputs, err := s.merger.Merge(ctx, inputs)
	if err != nil {
		return err
	}
	next := v.clone()
	next.replace(level, inputs, outputs)

	s.mu.Lock()
	defer s.mu.Unlock()
	return s.install(next)
}

// Close stops the background work.
func (s *Set) Close() {
	s.cancel()
	s.wg.Wait()
}
