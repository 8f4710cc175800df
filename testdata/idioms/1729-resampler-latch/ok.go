// Package a converts an audio stream to another sample rate.
package a

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var (
	ErrEnded = errors.New("audio: stream has ended")
	ErrRate  = errors.New("audio: rate must be positive")
)

// Resampler converts blocks of frames and keeps them for the player. Each
// block is converted on its own.
type Resampler struct {
	from, to int
	limit    int // frames that are kept before writers wait

	ended atomic.Bool // set once, with mu held

	mu      sync.Mutex
	changed *sync.Cond
	frames  []float32
}

// NewResampler converts from one rate to another.
func NewResampler(from, to, limit int) (*Resampler, error) {
	if from <= 0 || to <= 0 {
		return nil, ErrRate
	}
	r := &Resampler{from: from, to: to, limit: max(limit, 1)}
	r.changed = sync.NewCond(&r.mu)
	return r, nil
}

// convert interpolates a block linearly.
func (r *Resampler) convert(in []float32) []float32 {
	if len(in) == 0 {
		return nil
	}
	out := make([]float32, len(in)*r.to/r.from)
	for i := range out {
		x := float64(i) * float64(r.from) / float64(r.to)
		j := min(int(x), len(in)-1)
		k := min(j+1, len(in)-1)
		w := float32(x - float64(j))
		out[i] = in[j]*(1-w) + in[k]*w
	}
	return out
}

// Write converts a block and waits until there is room for more frames.
func (r *Resampler) Write(block []float32) error {
	if r.ended.Load() {
		return ErrEnded
	}
	out := r.convert(block)

	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.frames) >= r.limit && !r.ended.Load() {
		r.changed.Wait()
	}
	if r.ended.Load() {
		return ErrEnded
	}
	r.frames = append(r.frames, out...)
	r.changed.Broadcast()
	return nil
}

// Read fills p with frames. It waits for the first frame and returns io.EOF
// when the stream has ended and everything was read.
func (r *Resampler) Read(p []float32) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.frames) == 0 {
		if r.ended.Load() {
			return 0, io.EOF
		}
		r.changed.Wait()
	}
	n := copy(p, r.frames)
	r.frames = append([]float32(nil), r.frames[n:]...)
	r.changed.Broadcast()
	return n, nil
}

// End tells readers and writers that no more frames come.
func (r *Resampler) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended.Store(true)
	r.changed.Broadcast()
}

// Ended reports whether the stream takes no more frames.
func (r *Resampler) Ended() bool {
	return r.ended.Load()
}
