package local

import (
	"sync"
	"time"
)

// Storage is safe for concurrent use.
type Storage struct {
	persistence Persistence
	ttl         time.Duration

	mu     sync.RWMutex
	series map[string]*memorySeries
}

// NewStorage returns an empty storage that evicts chunks after ttl.
func NewStorage(p Persistence, ttl time.Duration) *Storage {
	s := &Storage{persistence: p, ttl: ttl, series: make(map[string]*memorySeries)}
	go s.evictLoop()
	return s
}

// AppendChunk adds a chunk that is on disk already.
func (s *Storage) AppendChunk(name string, chunk []Sample) {
	s.mu.Lock()
	series, ok := s.series[name]
	if !ok {
		series = &memorySeries{name: name}
		s.series[name] = series
	}
	s.mu.Unlock()
	cd := &chunkDesc{firstTime: chunk[0].T, lastTime: chunk[len(chunk)-1].T, chunk: chunk}
	series.mu.Lock()
	defer series.mu.Unlock()
	series.chunkDescs = append(series.chunkDescs, cd)
}

// Sum returns the sum of the samples of a series in a range.
func (s *Storage) Sum(name string, from, through int64) (sum float64, err error) {
	s.mu.RLock()
	series, ok := s.series[name]
	s.mu.RUnlock()
	if !ok {
		return 0, nil
	}
	cds, err := series.preloadChunksForRange(from, through, s.persistence)
	if err != nil {
		return 0, err
	}
	for _, cd := range cds {
		for _, sample := range cd.samples() {
			if from <= sample.T && sample.T <= through {
				sum += sample.V
			}
		}
		cd.unpin()
	}
	return sum, nil
}

func (s *Storage) evictLoop() {
	for now := range time.Tick(s.ttl / 10) {
		s.mu.RLock()
		for _, series := range s.series {
			series.evictOlderThan(now.Add(-s.ttl).UnixMilli())
		}
		s.mu.RUnlock()
	}
}
