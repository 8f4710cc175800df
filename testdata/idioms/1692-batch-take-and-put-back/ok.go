// Package a buffers log lines and writes them in batches.
package a

import (
	"sync"
)

// Writer sends a batch; on an error nothing of it was accepted.
// It does not keep the slice.
type Writer interface {
	WriteBatch(lines []string) error
}

// Batcher collects lines for a Writer.
type Batcher struct {
	w       Writer
	flushMu sync.Mutex // one flush at a time

	mu    sync.Mutex
	lines []string
}

func NewBatcher(w Writer) *Batcher { return &Batcher{w: w} }

// Add appends a line.
func (b *Batcher) Add(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line)
}

// take hands the buffered lines over to the caller.
func (b *Batcher) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.lines
	b.lines = nil
	return out
}

// putBack puts lines in front of those that came in meanwhile.
func (b *Batcher) putBack(lines []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(lines, b.lines...)
}

// Flush writes everything that was added before the call.
func (b *Batcher) Flush() error {
	b.flushMu.Lock()
	defer b.flushMu.Unlock()

	lines := b.take()
	if len(lines) == 0 {
		return nil
	}
	if err := b.w.WriteBatch(lines); err != nil {
		b.putBack(lines)
		return err
	}
	return nil
}

// Pending is the number of lines in the buffer.
func (b *Batcher) Pending() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.lines)
}
