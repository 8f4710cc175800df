package zstd

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"log"
	"sync"
	"sync/atomic"
)

type registry map[int]*encoder

// encoder compresses at a level. It is safe for concurrent use.
type encoder struct {
	level int
	pool  sync.Pool
}

func newEncoder(level int) *encoder {
	if level < flate.HuffmanOnly || level > flate.BestCompression {
		log.Panicf("BUG: failed to create encoder for level %d", level)
	}
	return &encoder{level: level}
}

func (e *encoder) encodeAll(src []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, ok := e.pool.Get().(*flate.Writer)
	if ok {
		w.Reset(&buf)
	} else {
		var err error
		w, err = flate.NewWriter(&buf, e.level)
		if err != nil {
			return nil, err
		}
	}
	defer e.pool.Put(w)
	if _, err := w.Write(src); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

var (
	mu sync.Mutex
	av atomic.Value
)

func init() {
	r := make(registry)
	av.Store(r)
}

// CompressLevel appends compressed src to dst and returns the appended dst.
//
// The given compressionLevel is used for the compression.
func CompressLevel(dst, src []byte, compressionLevel int) ([]byte, error) {
	e := getEncoder(compressionLevel)
	b, err := e.encodeAll(src)
	if err != nil {
		return dst, fmt.Errorf("cannot compress %d bytes: %w", len(src), err)
	}
	return append(dst, b...), nil
}

// Decompress appends decompressed src to dst and returns the result.
func Decompress(dst, src []byte) ([]byte, error) {
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(src)))
	if err != nil {
		return dst, err
	}
	return append(dst, b...), nil
}

func getEncoder(compressionLevel int) *encoder {
	r := av.Load().(registry)
	e := r[compressionLevel]
	if e != nil {
		return e
	}

	mu.Lock()
	// Create the encoder under lock in order to prevent from wasted work
	// when concurrent goroutines create encoder for the same compressionLevel.
	r1 := av.Load().(registry)
	if e = r1[compressionLevel]; e == nil {
		e = newEncoder(compressionLevel)
		r2 := make(registry)
		for k, v := range r1 {
			r2[k] = v
		}
		r2[compressionLevel] = e
		av.Store(r2)
	}
	mu.Unlock()

	return e
}
