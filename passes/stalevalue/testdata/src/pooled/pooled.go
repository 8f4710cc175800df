// Package pooled has objects of a sync.Pool: who gives one back has it no longer.
package pooled

import "sync"

type buffer struct{ data []byte }

func (b *buffer) reset()                    { b.data = b.data[:0] }
func (b *buffer) fill(from func() byte) int { b.data = append(b.data, from()); return len(b.data) }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func get() *buffer { return buffers.Get().(*buffer) }

func put(b *buffer) {
	b.reset()
	buffers.Put(b)
}

// Twice gives the buffer back once more at its end.
func Twice(from func() byte) int {
	b := get()
	defer put(b)
	n := b.fill(from)
	put(b) // want `stale-use: the object is given back to its pool here, and is given back again at line 23, when another goroutine may have it`
	return n
}

// Late reads what another goroutine may be writing.
func Late(from func() byte) int {
	b := get()
	b.fill(from)
	buffers.Put(b) // want `stale-use: the object is given back to its pool here, and is used at line 34, when another goroutine may have it`
	return len(b.data)
}

// Rounds gets another one in each round.
func Rounds(from func() byte) {
	for {
		b := get()
		n := b.fill(from)
		put(b)
		if n == 0 {
			return
		}
	}
}

// Branches gives it back in one of two branches.
func Branches(from func() byte) int {
	b := get()
	n := b.fill(from)
	if n == 0 {
		put(b)
		return 0
	}
	n = b.fill(from)
	put(b)
	return n
}

// Some uses it where it was not given back.
func Some(b *buffer, from func() byte) {
	ok := len(b.data) > 0
	if ok && b.fill(from) == 0 {
		buffers.Put(b)
		ok = false
	}
	if ok {
		b.reset()
	}
}
