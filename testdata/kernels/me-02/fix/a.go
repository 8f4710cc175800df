package a

import (
	"fmt"
	"sync"
)

// Buffer is a growable byte buffer that may be shared by goroutines.
type Buffer struct {
	mu   sync.Mutex
	data []byte
}

// NewBuffer returns a buffer that starts with the text s.
func NewBuffer(s string) *Buffer {
	return &Buffer{data: []byte(s)}
}

// Len reports the number of bytes held.
func (b *Buffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.data)
}

// Append adds p at the end.
func (b *Buffer) Append(p []byte) *Buffer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.grow(len(p))
	b.data = append(b.data, p...)
	return b
}

// AppendString adds s at the end.
func (b *Buffer) AppendString(s string) *Buffer {
	return b.Append([]byte(s))
}

// CopyRange copies the bytes from start up to end into dst. It panics if the
// range does not lie inside the buffer.
func (b *Buffer) CopyRange(dst []byte, start, end int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if start < 0 || end > len(b.data) || start > end {
		panic(fmt.Sprintf("buffer: range %d:%d of %d", start, end, len(b.data)))
	}
	copy(dst, b.data[start:end])
}

// AppendBuffer adds the contents of o at the end.
func (b *Buffer) AppendBuffer(o *Buffer) *Buffer {
	if o == nil {
		return b.AppendString("<nil>")
	}
	return b.Append(o.Bytes())
}

// Truncate drops everything after the first n bytes.
func (b *Buffer) Truncate(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n >= 0 && n < len(b.data) {
		b.data = b.data[:n]
	}
}

// Reverse turns the contents round.
func (b *Buffer) Reverse() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, j := 0, len(b.data)-1; i < j; i, j = i+1, j-1 {
		b.data[i], b.data[j] = b.data[j], b.data[i]
	}
}

// Bytes returns a copy of the contents.
func (b *Buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]byte(nil), b.data...)
}

// String returns the contents as a string.
func (b *Buffer) String() string {
	return string(b.Bytes())
}

func (b *Buffer) grow(n int) {
	if cap(b.data)-len(b.data) >= n {
		return
	}
	next := make([]byte, len(b.data), 2*cap(b.data)+n)
	copy(next, b.data)
	b.data = next
}
