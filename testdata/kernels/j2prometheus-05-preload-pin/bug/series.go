// Package local keeps series of samples, the old ones on disk.
package local

import "sync"

// Persistence loads chunks from disk.
type Persistence interface {
	LoadChunks(name string, indexes []int) ([][]Sample, error)
}

// memorySeries is a series. The chunks are in the order of their times.
type memorySeries struct {
	name string

	mu         sync.Mutex // guards chunkDescs, not what they point to
	chunkDescs []*chunkDesc
}

// evictOlderThan marks for eviction all chunks whose latest sample is older.
func (s *memorySeries) evictOlderThan(t int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cd := range s.chunkDescs {
		if cd.lastTime < t {
			cd.evictOnUnpin()
		}
	}
}

// preloadChunks pins chunks and loads those that are on disk only. The caller
// must have locked the series.
func (s *memorySeries) preloadChunks(indexes []int, p Persistence) ([]*chunkDesc, error) {
	loadIndexes := []int{}
	pinnedChunkDescs := make([]*chunkDesc, 0, len(indexes))
	for _, idx := range indexes {
		cd := s.chunkDescs[idx]
		if cd.isEvicted() {
			loadIndexes = append(loadIndexes, idx)
		} else {
			cd.pin()
			pinnedChunkDescs = append(pinnedChunkDescs, cd)
		}
	}

	if len(loadIndexes) > 0 {
		chunks, err := p.LoadChunks(s.name, loadIndexes)
		if err != nil {
			// Unpin the chunks since we won't return them as pinned chunks now.
			for _, cd := range pinnedChunkDescs {
				cd.unpin()
			}
			return nil, err
		}
		for i, c := range chunks {
			cd := s.chunkDescs[loadIndexes[i]]
			cd.open(c)
			pinnedChunkDescs = append(pinnedChunkDescs, cd)
		}
	}
	return pinnedChunkDescs, nil
}

// preloadChunksForRange pins the chunks that overlap with the range.
func (s *memorySeries) preloadChunksForRange(from, through int64, p Persistence) ([]*chunkDesc, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var indexes []int
	for i, cd := range s.chunkDescs {
		if cd.lastTime >= from && cd.firstTime <= through {
			indexes = append(indexes, i)
		}
	}
	return s.preloadChunks(indexes, p)
}
