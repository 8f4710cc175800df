package ce

import (
	"errors"
	"hash/fnv"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

var ErrMaxHLLsInUse = errors.New("HLL allocation would exceed maxHLLsInUse")

// Sketch is a HyperLogLog sketch.
type Sketch struct {
	p    uint8
	regs []uint8
}

func newSketch(p uint8) *Sketch {
	return &Sketch{p: p, regs: make([]uint8, 1<<p)}
}

func (s *Sketch) insert(h uint64) {
	idx := h >> (64 - s.p)
	rank := uint8(bits.LeadingZeros64(h<<s.p|1)) + 1
	if rank > s.regs[idx] {
		s.regs[idx] = rank
	}
}

// Allocator provides a centralized way to allocate and track HyperLogLog
// sketches with built-in usage tracking and limits. It is shared by all the
// estimators of a process.
type Allocator struct {
	max uint64

	inuse   atomic.Uint64
	created atomic.Uint64
}

// NewAllocator creates a new HLL allocator with the specified maximum HLLs in use.
func NewAllocator(max uint64) *Allocator {
	return &Allocator{max: max}
}

// Allocate creates a new sketch and tracks it in the allocator. It returns an
// error if the maximum number of HLLs in use would be exceeded.
func (alloc *Allocator) Allocate() (*Sketch, error) {
	if alloc.inuse.Load() >= alloc.max {
		return nil, ErrMaxHLLsInUse
	}

	// 4x registers (p += 2) give twice the accuracy for four times the memory,
	// p=10 is about 3.25% standard error with 1KB per sketch.
	hll := newSketch(10)

	alloc.inuse.Add(1)
	alloc.created.Add(1)
	return hll, nil
}

// Release returns n sketches to the allocator.
func (alloc *Allocator) Release(n int) {
	alloc.inuse.Add(^uint64(n - 1))
}

// Inuse returns the current number of HLLs in use.
func (alloc *Allocator) Inuse() uint64 {
	return alloc.inuse.Load()
}

// Created returns the total number of HLLs created since allocator creation.
func (alloc *Allocator) Created() uint64 {
	return alloc.created.Load()
}

// Max returns the maximum number of HLLs that can be in use.
func (alloc *Allocator) Max() uint64 {
	return alloc.max
}

// Estimator keeps one sketch per group of series.
type Estimator struct {
	alloc *Allocator

	mu       sync.Mutex
	sketches map[string]*Sketch
	dropped  int

	stopCh chan struct{}
	wg     sync.WaitGroup
}

// NewEstimator returns an estimator that forgets its sketches every interval.
func NewEstimator(alloc *Allocator, interval time.Duration) *Estimator {
	e := &Estimator{
		alloc:    alloc,
		sketches: make(map[string]*Sketch),
		stopCh:   make(chan struct{}),
	}
	e.wg.Add(1)
	go func() {
		defer e.wg.Done()
		e.resetLoop(interval)
	}()
	return e
}

// Insert counts the series in the given group.
func (e *Estimator) Insert(group, series string) error {
	h := fnv.New64a()
	h.Write([]byte(series))

	e.mu.Lock()
	defer e.mu.Unlock()
	hll := e.sketches[group]
	if hll == nil {
		var err error
		hll, err = e.alloc.Allocate()
		if err != nil {
			e.dropped++
			return err
		}
		e.sketches[group] = hll
	}
	hll.insert(h.Sum64())
	return nil
}

// Dropped returns the number of series that got no sketch.
func (e *Estimator) Dropped() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dropped
}

func (e *Estimator) reset() {
	e.mu.Lock()
	n := len(e.sketches)
	e.sketches = make(map[string]*Sketch)
	if n > 0 {
		e.alloc.Release(n)
	}
	e.mu.Unlock()
}

func (e *Estimator) resetLoop(interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			e.reset()
		case <-e.stopCh:
			e.reset()
			return
		}
	}
}

// MustStop stops e.
func (e *Estimator) MustStop() {
	close(e.stopCh)
	e.wg.Wait()
}
