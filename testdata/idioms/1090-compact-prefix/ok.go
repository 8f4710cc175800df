// Correct: segments never change once made, only Compact takes any out, and
// the compacting flag, which is set in the section that picks them, lets one
// Compact run at a time. What others do meanwhile is add at the end, so the
// picked ones are still the first when the result takes their place.
package level

import (
	"errors"
	"slices"
	"sort"
	"sync"
)

// ErrBusy is returned while another compaction runs.
var ErrBusy = errors.New("compaction in progress")

type pair struct {
	key, val string
}

// Segment is a sorted run of pairs.
type Segment struct {
	pairs []pair
}

// NewSegment returns a segment with the contents of m.
func NewSegment(m map[string]string) *Segment {
	s := &Segment{}
	for k, v := range m {
		s.pairs = append(s.pairs, pair{k, v})
	}
	sort.Slice(s.pairs, func(i, j int) bool { return s.pairs[i].key < s.pairs[j].key })
	return s
}

func (s *Segment) get(key string) (string, bool) {
	i := sort.Search(len(s.pairs), func(i int) bool { return s.pairs[i].key >= key })
	if i < len(s.pairs) && s.pairs[i].key == key {
		return s.pairs[i].val, true
	}
	return "", false
}

// Level is a row of segments, newest last.
type Level struct {
	save func(*Segment) error

	mu         sync.RWMutex
	segs       []*Segment
	compacting bool
}

// New returns a level that writes merged segments with save.
func New(save func(*Segment) error) *Level {
	return &Level{save: save}
}

// Add puts a segment on top.
func (l *Level) Add(s *Segment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.segs = append(l.segs, s)
}

// Get returns the newest value of key.
func (l *Level) Get(key string) (string, bool) {
	l.mu.RLock()
	segs := l.segs
	l.mu.RUnlock()
	for _, s := range slices.Backward(segs) {
		if v, ok := s.get(key); ok {
			return v, true
		}
	}
	return "", false
}

func (l *Level) begin() ([]*Segment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.compacting {
		return nil, ErrBusy
	}
	l.compacting = true
	return slices.Clone(l.segs), nil
}

func (l *Level) finish(n int, merged *Segment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.compacting = false
	if merged != nil {
		l.segs = slices.Concat([]*Segment{merged}, l.segs[n:])
	}
}

// Compact merges the segments there are into one.
func (l *Level) Compact() error {
	picked, err := l.begin()
	if err != nil {
		return err
	}
	var merged *Segment
	defer func() { l.finish(len(picked), merged) }()
	if len(picked) < 2 {
		return nil
	}
	all := make(map[string]string)
	for _, s := range picked {
		for _, p := range s.pairs {
			all[p.key] = p.val
		}
	}
	out := NewSegment(all)
	if err := l.save(out); err != nil {
		return err
	}
	merged = out
	return nil
}
