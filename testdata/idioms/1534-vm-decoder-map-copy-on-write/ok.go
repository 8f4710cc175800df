package a

import (
	"compress/flate"
	"io"
	"sync"
	"sync/atomic"
)

// decoderPool holds readers for one memory limit.
type decoderPool struct {
	maxMemory int
	pool      sync.Pool
}

func newDecoderPool(maxMemory int) *decoderPool {
	return &decoderPool{maxMemory: maxMemory}
}

func (d *decoderPool) decodeAll(r io.Reader) ([]byte, error) {
	fr, ok := d.pool.Get().(io.ReadCloser)
	if ok {
		if err := fr.(flate.Resetter).Reset(r, nil); err != nil {
			return nil, err
		}
	} else {
		fr = flate.NewReader(r)
	}
	defer d.pool.Put(fr)
	if d.maxMemory > 0 {
		return io.ReadAll(io.LimitReader(fr, int64(d.maxMemory)))
	}
	return io.ReadAll(fr)
}

var (
	decodersMu sync.Mutex
	// decoders holds a map[int]*decoderPool, which is never changed after it
	// has been stored.
	decoders atomic.Value
)

func init() {
	decoders.Store(map[int]*decoderPool{0: newDecoderPool(0)})
}

// Decompress decompresses the data of r.
func Decompress(r io.Reader) ([]byte, error) {
	return getDecoder(0).decodeAll(r)
}

// DecompressLimited decompresses up to maxDataSizeBytes of the data of r.
func DecompressLimited(r io.Reader, maxDataSizeBytes int) ([]byte, error) {
	return getDecoder(maxDataSizeBytes).decodeAll(r)
}

func getDecoder(maxMemory int) *decoderPool {
	r := decoders.Load().(map[int]*decoderPool)
	d := r[maxMemory]
	if d != nil {
		return d
	}
	decodersMu.Lock()
	// Create the decoder under lock in order to prevent from wasted work
	// when concurrent goroutines create decoder for the same limit.
	r1 := decoders.Load().(map[int]*decoderPool)
	if d = r1[maxMemory]; d == nil {
		d = newDecoderPool(maxMemory)
		r2 := make(map[int]*decoderPool, len(r1)+1)
		for k, v := range r1 {
			r2[k] = v
		}
		r2[maxMemory] = d
		decoders.Store(r2)
	}
	decodersMu.Unlock()
	return d
}
