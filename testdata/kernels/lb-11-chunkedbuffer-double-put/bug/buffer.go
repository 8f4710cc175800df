package promscrape

import (
	"io"
	"sync"
)

const chunkSize = 4 * 1024

// getBuffer returns Buffer from the pool.
//
// Return back the Buffer to the pool via putBuffer() call when it is no longer needed.
func getBuffer() *Buffer {
	v := cbPool.Get()
	if v == nil {
		return &Buffer{}
	}
	return v.(*Buffer)
}

// putBuffer returns cb to the pool, so it could be reused via getBuffer() call.
//
// The cb cannot be used after putBuffer() call.
func putBuffer(cb *Buffer) {
	cb.Reset()
	cbPool.Put(cb)
}

var cbPool sync.Pool

// Buffer provides in-memory buffer optimized for storing big bytes volumes.
//
// It stores the data in chunks of fixed size.
type Buffer struct {
	chunks []*[chunkSize]byte

	// offset is the offset in the last chunk to write data to.
	offset int
}

// Reset resets the cb, so it can be reused for writing new data into it.
func (cb *Buffer) Reset() {
	clear(cb.chunks)
	cb.chunks = cb.chunks[:0]
	cb.offset = 0
}

// Write implements io.Writer interface for cb.
func (cb *Buffer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(cb.chunks) == 0 || cb.offset == chunkSize {
			cb.chunks = append(cb.chunks, new([chunkSize]byte))
			cb.offset = 0
		}
		dst := cb.chunks[len(cb.chunks)-1]
		m := copy(dst[cb.offset:], p)
		cb.offset += m
		p = p[m:]
	}
	return n, nil
}

// NewReader returns reader for the data stored in cb.
func (cb *Buffer) NewReader() io.Reader {
	return &reader{cb: cb}
}

type reader struct {
	cb *Buffer

	// chunk is the index of the chunk to read from, offset is the offset in it.
	chunk, offset int
}

func (r *reader) Read(p []byte) (int, error) {
	for r.chunk < len(r.cb.chunks) {
		chunk := r.cb.chunks[r.chunk][:]
		if r.chunk == len(r.cb.chunks)-1 {
			chunk = chunk[:r.cb.offset]
		}
		if n := copy(p, chunk[r.offset:]); n > 0 {
			r.offset += n
			return n, nil
		}
		r.chunk++
		r.offset = 0
	}
	return 0, io.EOF
}
