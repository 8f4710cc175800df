package storage

import (
	"bytes"
	"sync"
)

// batchTx keeps the revisions in one arena, in the order of their keys.
type batchTx struct {
	sync.Mutex
	arena []byte
	spans []span
}

type span struct {
	off, klen, vlen int
}

func (t *batchTx) pair(i int) (key, value []byte) {
	s := t.spans[i]
	b := t.arena[s.off : s.off+s.klen+s.vlen]
	return b[:s.klen], b[s.klen:]
}

// UnsafePut appends a value. The key must be bigger than those before it. It
// must be called holding the lock on the tx.
func (t *batchTx) UnsafePut(key, value []byte) {
	t.spans = append(t.spans, span{off: len(t.arena), klen: len(key), vlen: len(value)})
	t.arena = append(append(t.arena, key...), value...)
}

// UnsafeRange returns the values of the keys from key on. It must be called
// holding the lock on the tx.
func (t *batchTx) UnsafeRange(key []byte) (vals [][]byte) {
	for i := range t.spans {
		if k, v := t.pair(i); bytes.Compare(k, key) >= 0 {
			vals = append(vals, v)
		}
	}
	return vals
}

// UnsafeDelete removes the pairs for which drop is true and packs the arena. It
// must be called holding the lock on the tx.
func (t *batchTx) UnsafeDelete(drop func(key []byte) bool) {
	kept, end := t.spans[:0], 0
	for i, s := range t.spans {
		if k, _ := t.pair(i); drop(k) {
			continue
		}
		n := copy(t.arena[end:], t.arena[s.off:s.off+s.klen+s.vlen])
		s.off, end = end, end+n
		kept = append(kept, s)
	}
	t.spans, t.arena = kept, t.arena[:end]
}
