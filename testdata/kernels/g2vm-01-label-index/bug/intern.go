// Package bug aggregates samples by their interned labels.
package bug

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Pair is one label.
type Pair struct {
	Key   string
	Value string
}

func (p Pair) clone() Pair {
	return Pair{Key: strings.Clone(p.Key), Value: strings.Clone(p.Value)}
}

// Interner gives each label a small number.
type Interner struct {
	toID   sync.Map
	fromID sync.Map
	nextID atomic.Uint64
	bytes  atomic.Uint64
}

// Bytes returns the estimated size.
func (in *Interner) Bytes() uint64 { return in.bytes.Load() }

// Pack appends the numbers of the labels to dst.
func (in *Interner) Pack(dst []byte, pairs []Pair) []byte {
	for _, p := range pairs {
		dst = binary.AppendUvarint(dst, in.number(p))
	}
	return dst
}

func (in *Interner) number(p Pair) uint64 {
	v, ok := in.toID.Load(p)
	if !ok {
		id := in.nextID.Add(1)
		v = id
		c := p.clone()
		in.fromID.Store(id, c)
		in.toID.Store(c, v)
		in.bytes.Add(uint64(len(p.Key)+len(p.Value)) + 48)
	}
	return v.(uint64)
}

// Unpack is the reverse of Pack.
func (in *Interner) Unpack(src []byte) ([]Pair, error) {
	var pairs []Pair
	for len(src) > 0 {
		id, n := binary.Uvarint(src)
		if n <= 0 {
			return nil, fmt.Errorf("cannot read label number from %d bytes", len(src))
		}
		src = src[n:]
		v, ok := in.fromID.Load(id)
		if !ok {
			return nil, fmt.Errorf("missing label for number %d", id)
		}
		pairs = append(pairs, v.(Pair))
	}
	return pairs, nil
}

type bucket struct {
	mu    sync.Mutex
	sums  map[string]float64
	count uint64
}

// Totals sums up the samples between two flushes.
type Totals struct {
	in      Interner
	buckets [8]bucket
	dropped atomic.Uint64
}

// NewTotals returns empty totals.
func NewTotals() *Totals {
	t := &Totals{}
	for i := range t.buckets {
		t.buckets[i].sums = make(map[string]float64)
	}
	return t
}

func slot(key []byte) int {
	h := uint32(2166136261)
	for _, b := range key {
		h = (h ^ uint32(b)) * 16777619
	}
	return int(h % 8)
}

// Push adds one sample. It is called by all connections.
func (t *Totals) Push(pairs []Pair, value float64) {
	if len(pairs) == 0 {
		t.dropped.Add(1)
		return
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i].Key < pairs[j].Key })
	key := t.in.Pack(make([]byte, 0, 2*len(pairs)), pairs)
	b := &t.buckets[slot(key)]
	b.mu.Lock()
	b.sums[string(key)] += value
	b.count++
	b.mu.Unlock()
}

// Flush hands all sums to emit and starts anew.
func (t *Totals) Flush(emit func([]Pair, float64)) error {
	for i := range t.buckets {
		b := &t.buckets[i]
		b.mu.Lock()
		sums := b.sums
		b.sums = make(map[string]float64, len(sums))
		b.count = 0
		b.mu.Unlock()
		for key, v := range sums {
			pairs, err := t.in.Unpack([]byte(key))
			if err != nil {
				return err
			}
			emit(pairs, v)
		}
	}
	return nil
}
