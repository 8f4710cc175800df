package point

import "sync/atomic"

// Memoized values: whoever computes one first, it is the same.

type Tx struct {
	data       []byte
	hash, size atomic.Int64
}

func (t *Tx) Hash() int64 {
	if h := t.hash.Load(); h != 0 {
		return h
	}
	h := int64(1)
	for _, b := range t.data {
		h = h*31 + int64(b)
	}
	t.hash.Store(h)
	return h
}

func (t *Tx) Size() int64 {
	if n := t.size.Load(); n != 0 {
		return n
	}
	n := int64(len(t.data)) + 8
	t.size.Store(n)
	return n
}
