// Package index holds the segments of a search index and merges small ones.
package index

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Segment is an immutable set of documents.
type Segment struct {
	Gen  uint64
	Docs map[string]string // id -> text
}

// Codec writes segments to disk.
type Codec interface {
	Write(s *Segment) error
	Delete(gen uint64) error
}

// Merge policy.
const (
	mergeFactor = 8
	smallDocs   = 10000
)

var errNothing = errors.New("index: nothing to merge")

// Index is a list of segments; newer segments come last and win.
type Index struct {
	codec Codec

	mu       sync.RWMutex
	segments []*Segment
	gen      uint64
}

// Open returns an empty index.
func Open(c Codec) *Index { return &Index{codec: c} }

func (ix *Index) nextGen() uint64 {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.gen++
	return ix.gen
}

// Segments returns the present list.
func (ix *Index) Segments() []*Segment {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return slices.Clone(ix.segments)
}

// Flush makes a batch of new documents searchable. The indexer, of which there
// is one, calls it; ids are never used twice.
func (ix *Index) Flush(docs map[string]string) error {
	s := &Segment{Gen: ix.nextGen(), Docs: docs}
	if err := ix.codec.Write(s); err != nil {
		return err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.segments = append(ix.segments, s)
	return nil
}

// Get returns a document.
func (ix *Index) Get(id string) (string, bool) {
	for _, s := range slices.Backward(ix.Segments()) {
		if text, ok := s.Docs[id]; ok {
			return text, true
		}
	}
	return "", false
}

// Run merges until ctx ends. It is called once.
func (ix *Index) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		for {
			err := ix.mergeOnce()
			if errors.Is(err, errNothing) {
				break
			}
			if err != nil {
				slog.Error("merge failed", "err", err)
				break
			}
		}
	}
}

func (ix *Index) mergeOnce() error {
	segs := ix.Segments()
	victims := choose(segs)
	if len(victims) < 2 {
		return errNothing
	}
	merged := combine(victims, ix.nextGen())
	if err := ix.codec.Write(merged); err != nil {
		return err
	}
	ix.install(victims, merged)
	for _, v := range victims {
		if err := ix.codec.Delete(v.Gen); err != nil {
			slog.Warn("segment left behind", "gen", v.Gen, "err", err)
		}
	}
	return nil
}

func (ix *Index) install(victims []*Segment, merged *Segment) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.segments = substitute(ix.segments, victims, merged)
}

// substitute returns segs with merged in the place of victims.
func substitute(segs, victims []*Segment, merged *Segment) []*Segment {
	out := make([]*Segment, 0, len(segs))
	for _, s := range segs {
		switch {
		case s == victims[0]:
			out = append(out, merged)
		case slices.Contains(victims, s):
		default:
			out = append(out, s)
		}
	}
	return out
}

func choose(segs []*Segment) []*Segment {
	var small []*Segment
	for _, s := range segs {
		if len(s.Docs) < smallDocs {
			small = append(small, s)
		}
		if len(small) == mergeFactor {
			break
		}
	}
	return small
}

func combine(segs []*Segment, gen uint64) *Segment {
	out := &Segment{Gen: gen, Docs: make(map[string]string)}
	for _, s := range segs {
		for id, text := range s.Docs {
			out.Docs[id] = text
		}
	}
	return out
}
