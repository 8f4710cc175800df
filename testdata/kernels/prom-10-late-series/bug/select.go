// Package bug finds series by their labels.
package bug

import (
	"fmt"
	"strings"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/prom-10-late-series/bug/index"
)

// Matcher selects the series that have, or with Not do not have, a label.
type Matcher struct {
	Name, Value string
	Not         bool
}

// Reader gives access to the label index of a block.
type Reader interface {
	Refs(name, value string) ([]index.Ref, error)
}

// Block holds the series that are being written.
type Block struct {
	lists *index.Lists

	mu     sync.Mutex
	next   index.Ref
	series map[string]index.Ref
}

// NewBlock returns a block without series.
func NewBlock() *Block {
	return &Block{
		lists:  index.NewLists(),
		series: make(map[string]index.Ref),
	}
}

// Series returns the series with the given labels.
func (h *Block) Series(labels ...index.Label) index.Ref {
	var key strings.Builder
	for _, l := range labels {
		fmt.Fprintf(&key, "%q=%q,", l.Name, l.Value)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if ref, ok := h.series[key.String()]; ok {
		return ref
	}
	h.next++
	h.series[key.String()] = h.next
	h.lists.Add(h.next, labels)
	return h.next
}

// Index returns a reader of the live index.
func (h *Block) Index() Reader { return blockReader{h} }

type blockReader struct{ block *Block }

func (r blockReader) Refs(name, value string) ([]index.Ref, error) {
	return r.block.lists.Get(name, value), nil
}

// Select returns the series that satisfy all matchers.
func Select(ix Reader, ms ...Matcher) ([]index.Ref, error) {
	var keep, drop [][]index.Ref
	for _, m := range ms {
		refs, err := ix.Refs(m.Name, m.Value)
		if err != nil {
			return nil, fmt.Errorf("series by %s: %w", m.Name, err)
		}
		if m.Not {
			drop = append(drop, refs)
		} else {
			keep = append(keep, refs)
		}
	}
	if len(keep) == 0 && len(drop) != 0 {
		refs, err := ix.Refs(index.Everything())
		if err != nil {
			return nil, fmt.Errorf("all series: %w", err)
		}
		keep = append(keep, refs)
	}
	out := index.Intersect(keep...)
	for _, d := range drop {
		out = index.Without(out, d)
	}
	return out, nil
}
