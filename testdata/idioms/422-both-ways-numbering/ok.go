// Package ok numbers words, for short keys.
package ok

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// Word is a name with a value.
type Word struct{ Name, Value string }

// Numbering gives each word a number that never changes. Use it from any
// number of goroutines.
type Numbering struct {
	wordToNum sync.Map
	numToWord sync.Map

	last  atomic.Uint64
	bytes atomic.Uint64
}

// Bytes is the approximate size.
func (n *Numbering) Bytes() uint64 { return n.bytes.Load() }

// Items is the number of numbers given.
func (n *Numbering) Items() uint64 { return n.last.Load() }

func cloneWord(w Word) Word {
	buf := w.Name + w.Value
	return Word{Name: buf[:len(w.Name)], Value: buf[len(w.Name):]}
}

// Encode appends the encoded words to dst.
func (n *Numbering) Encode(dst []byte, words []Word) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(words)))
	for _, w := range words {
		dst = binary.AppendUvarint(dst, n.number(w))
	}
	return dst
}

func (n *Numbering) number(w Word) uint64 {
	if v, ok := n.wordToNum.Load(w); ok {
		return v.(uint64)
	}
	num := n.last.Add(1)
	c := cloneWord(w)

	n.numToWord.Store(num, c)
	v, loaded := n.wordToNum.LoadOrStore(c, num)
	if loaded {
		num = v.(uint64)
	}

	n.bytes.Add(uint64(len(w.Name)+len(w.Value))*2 + 64)
	return num
}

// Decode appends the words of src to dst.
func (n *Numbering) Decode(dst []Word, src []byte) ([]Word, error) {
	cnt, k := binary.Uvarint(src)
	if k <= 0 {
		return dst, fmt.Errorf("cannot read the number of words")
	}
	src = src[k:]
	for i := uint64(0); i < cnt; i++ {
		num, k := binary.Uvarint(src)
		if k <= 0 {
			return dst, fmt.Errorf("cannot read word %d", i)
		}
		src = src[k:]
		v, ok := n.numToWord.Load(num)
		if !ok {
			return dst, fmt.Errorf("missing word for number %d", num)
		}
		dst = append(dst, v.(Word))
	}
	return dst, nil
}

// Sums adds values up by the encoded words.
type Sums struct {
	num *Numbering
	mu  sync.Mutex
	m   map[string]float64
}

// NewSums returns empty sums.
func NewSums(n *Numbering) *Sums { return &Sums{num: n, m: make(map[string]float64)} }

// Add adds v.
func (s *Sums) Add(words []Word, v float64) {
	key := string(s.num.Encode(nil, words))
	s.mu.Lock()
	s.m[key] += v
	s.mu.Unlock()
}

// Flush returns the sums and starts anew.
func (s *Sums) Flush() (map[string]float64, error) {
	s.mu.Lock()
	m := s.m
	s.m = make(map[string]float64)
	s.mu.Unlock()

	out := make(map[string]float64, len(m))
	for key, v := range m {
		words, err := s.num.Decode(nil, []byte(key))
		if err != nil {
			return nil, err
		}
		var sb strings.Builder
		for _, w := range words {
			fmt.Fprintf(&sb, "%s=%q,", w.Name, w.Value)
		}
		out[sb.String()] = v
	}
	return out, nil
}
