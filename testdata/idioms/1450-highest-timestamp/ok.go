// Package remote sends samples to a remote storage.
package remote

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

type gauge struct {
	bits atomic.Uint64
}

func (g *gauge) Set(v float64)  { g.bits.Store(math.Float64bits(v)) }
func (g *gauge) Value() float64 { return math.Float64frombits(g.bits.Load()) }

// maxTimestamp is a gauge that never goes down.
type maxTimestamp struct {
	mtx   sync.Mutex
	value float64
	gauge
}

// Set raises the gauge to value.
func (m *maxTimestamp) Set(value float64) {
	m.mtx.Lock()
	defer m.mtx.Unlock()
	if value > m.value {
		m.value = value
		m.gauge.Set(value)
	}
}

// Get returns the highest value so far.
func (m *maxTimestamp) Get() float64 {
	m.mtx.Lock()
	defer m.mtx.Unlock()
	return m.value
}

// Sample is one value at a time in milliseconds.
type Sample struct {
	T int64
	V float64
}

// Sink takes batches of samples.
type Sink func(batch []Sample) error

// Storage distributes samples to shards.
type Storage struct {
	highestIn  maxTimestamp
	highestOut maxTimestamp
	failed     atomic.Int64
	shards     []chan Sample
	sink       Sink
	wg         sync.WaitGroup
}

// New starts the given number of shards.
func New(n int, sink Sink) *Storage {
	s := &Storage{sink: sink, shards: make([]chan Sample, n)}
	for i := range s.shards {
		ch := make(chan Sample, 128)
		s.shards[i] = ch
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			s.runShard(ch)
		}()
	}
	return s
}

// Append queues the sample of a series.
func (s *Storage) Append(ref uint64, smpl Sample) {
	ts := float64(smpl.T) / 1000
	if ts > s.highestIn.Get() { // most samples are not newer
		s.highestIn.Set(ts)
	}
	s.shards[ref%uint64(len(s.shards))] <- smpl
}

func (s *Storage) runShard(ch <-chan Sample) {
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	var batch []Sample
	for {
		select {
		case smpl, ok := <-ch:
			if !ok {
				s.send(batch)
				return
			}
			if batch = append(batch, smpl); len(batch) < 100 {
				continue
			}
		case <-ticker.C:
		}
		s.send(batch)
		batch = batch[:0]
	}
}

func (s *Storage) send(batch []Sample) {
	if len(batch) == 0 {
		return
	}
	if err := s.sink(batch); err != nil {
		s.failed.Add(int64(len(batch)))
		return
	}
	highest := batch[0].T
	for _, smpl := range batch {
		highest = max(highest, smpl.T)
	}
	s.highestOut.Set(float64(highest) / 1000)
}

// Highest returns the newest times that came in and went out.
func (s *Storage) Highest() (in, out float64) {
	out = s.highestOut.Get()
	return s.highestIn.Get(), out
}

// Stop sends what is queued. Nobody may call Append any more.
func (s *Storage) Stop() {
	for _, ch := range s.shards {
		close(ch)
	}
	s.wg.Wait()
}
