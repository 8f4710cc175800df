// Package metricbuf gathers samples in memory and writes them out in blocks.
package metricbuf

import (
	"errors"
	"log"
	"sync"
	"time"
)

// ErrClosed is returned by Add after Close.
var ErrClosed = errors.New("metricbuf: closed")

// Sample is one measurement.
type Sample struct {
	Series string
	At     time.Time
	Value  float64
}

// BlockWriter writes a block of samples to disk.
type BlockWriter interface {
	WriteBlock(samples []Sample) error
}

// Buffer holds samples until there are enough for a block. It is safe for
// concurrent use. Samples stay readable until their block is on disk.
type Buffer struct {
	out       BlockWriter
	blockLen  int
	onFailure time.Duration // pause after a failed write

	mu       sync.Mutex
	idle     *sync.Cond // flushing became false
	samples  []Sample
	flushing bool
	closed   bool
	blocks   int
}

// New returns a Buffer that writes blocks of blockLen samples.
func New(out BlockWriter, blockLen int) *Buffer {
	b := &Buffer{out: out, blockLen: blockLen, onFailure: time.Second}
	b.idle = sync.NewCond(&b.mu)
	return b
}

// Add puts a sample in the buffer.
func (b *Buffer) Add(s Sample) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.samples = append(b.samples, s)
	if len(b.samples) >= b.blockLen && !b.flushing {
		b.flushing = true
		go b.flush()
	}
	return nil
}

// head returns a copy of the samples of the next block. They stay at the front
// of the buffer.
func (b *Buffer) head() []Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(b.blockLen, len(b.samples))
	return append([]Sample(nil), b.samples[:n]...)
}

// retire drops the first n samples, which are on disk. It reports whether
// there is another block to write; otherwise the flush is over.
func (b *Buffer) retire(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.samples = append([]Sample(nil), b.samples[n:]...)
	if n > 0 {
		b.blocks++
	}
	if len(b.samples) >= b.blockLen && !b.closed {
		return true
	}
	b.flushing = false
	b.idle.Broadcast()
	return false
}

// flush writes full blocks. Whoever set flushing runs it.
func (b *Buffer) flush() {
	for {
		block := b.head()
		n := len(block)
		if err := b.out.WriteBlock(block); err != nil {
			log.Printf("metricbuf: block of %d samples: %v", n, err)
			time.Sleep(b.onFailure)
			n = 0
		}
		if !b.retire(n) {
			return
		}
	}
}

// Select returns the samples of a series that are not on disk yet.
func (b *Buffer) Select(series string) []Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Sample
	for _, s := range b.samples {
		if s.Series == series {
			out = append(out, s)
		}
	}
	return out
}

// Blocks returns the number of blocks written and the samples that wait.
func (b *Buffer) Blocks() (written, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.blocks, len(b.samples)
}

// Close refuses further samples, waits for the flush under way and writes what
// is left as one block.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.closed = true
	for b.flushing {
		b.idle.Wait()
	}
	if len(b.samples) == 0 {
		return nil
	}
	if err := b.out.WriteBlock(b.samples); err != nil {
		return err
	}
	b.samples = nil
	b.blocks++
	return nil
}
