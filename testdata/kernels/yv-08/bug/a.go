package a

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

type Doc struct {
	ID   string
	Text string
}

// segment is immutable once it is part of the index.
type segment struct {
	docs map[string]Doc
}

type idset = map[string]struct{}

type Index struct {
	mergeMu sync.Mutex // one merge at a time

	mu   sync.RWMutex
	segs []*segment
	gone map[*segment]idset
}

func NewIndex() *Index { return &Index{gone: make(map[*segment]idset)} }

func (ix *Index) buryLocked(id string) bool {
	hit := false
	for _, s := range ix.segs {
		if _, ok := s.docs[id]; !ok {
			continue
		}
		if ix.gone[s] == nil {
			ix.gone[s] = make(idset)
		}
		ix.gone[s][id] = struct{}{}
		hit = true
	}
	return hit
}

// Add writes a batch as a new segment; older versions of the documents disappear.
func (ix *Index) Add(batch ...Doc) {
	s := &segment{docs: make(map[string]Doc, len(batch))}
	for _, d := range batch {
		s.docs[d.ID] = d
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for id := range s.docs {
		ix.buryLocked(id)
	}
	ix.segs = append(ix.segs, s)
}

func (ix *Index) Delete(id string) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.buryLocked(id)
}

func (ix *Index) Search(term string) []Doc {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var out []Doc
	for _, s := range ix.segs {
		for id, d := range s.docs {
			if _, dead := ix.gone[s][id]; !dead && strings.Contains(d.Text, term) {
				out = append(out, d)
			}
		}
	}
	return out
}

// pick chooses the n smallest segments and notes which of their documents are gone.
func (ix *Index) pick(n int) ([]*segment, []idset) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if len(ix.segs) <= n {
		return nil, nil
	}
	in := slices.Clone(ix.segs)
	slices.SortFunc(in, func(a, b *segment) int { return len(a.docs) - len(b.docs) })
	in = in[:n]
	dead := make([]idset, n)
	for i, s := range in {
		dead[i] = maps.Clone(ix.gone[s])
	}
	return in, dead
}

// Merge rewrites the n smallest segments into one.
func (ix *Index) Merge(n int) bool {
	ix.mergeMu.Lock()
	defer ix.mergeMu.Unlock()
	in, dead := ix.pick(n)
	if len(in) == 0 {
		return false
	}
	out := &segment{docs: make(map[string]Doc)}
	for i, s := range in {
		for id, d := range s.docs {
			if _, ok := dead[i][id]; !ok {
				out.docs[id] = d
			}
		}
	}

	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, s := range in {
		delete(ix.gone, s)
	}
	ix.segs = slices.DeleteFunc(ix.segs, func(s *segment) bool { return slices.Contains(in, s) })
	ix.segs = append(ix.segs, out)
	return true
}

func (ix *Index) Maintain(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			for ix.Merge(4) {
			}
		}
	}
}
