package positions

import (
	"slices"
	"sync"
)

// A Buffer loses its oldest entries if it is full.
type Buffer struct {
	mu    sync.Mutex
	items []string
	first int // number of items[0]
	limit int
}

// A Batch has a copy of the oldest entries.
type Batch struct {
	First   int
	Entries []string
}

func (b *Buffer) Add(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, s)
	if len(b.items) > b.limit {
		b.cut(1)
	}
}

func (b *Buffer) cut(n int) {
	b.items = slices.Delete(b.items, 0, n)
	b.first += n
}

func (b *Buffer) Head(n int) Batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.items))
	return Batch{b.first, slices.Clone(b.items[:n])}
}

// accept takes as many entries out as the batch has, which may be others by now.
func (b *Buffer) accept(batch Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut(min(len(batch.Entries), len(b.items)))
}

// acceptTo takes out what is before the end of the batch.
func (b *Buffer) acceptTo(batch Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end := batch.First + len(batch.Entries); end > b.first {
		b.cut(end - b.first)
	}
}

// acceptFound looks for the end of the batch in the present list.
func (b *Buffer) acceptFound(batch Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := batch.Entries[len(batch.Entries)-1]
	if i := slices.Index(b.items, last); i >= 0 {
		b.cut(i + 1)
	}
}

func (b *Buffer) Flush(send func([]string) error) {
	batch := b.Head(100)
	if send(batch.Entries) == nil {
		b.accept(batch) // want `lost-update: b.items was read at line \d+`
	}
}

func (b *Buffer) FlushTo(send func([]string) error) {
	batch := b.Head(100)
	if send(batch.Entries) == nil {
		b.acceptTo(batch)
	}
}

func (b *Buffer) FlushFound(send func([]string) error) {
	batch := b.Head(100)
	if len(batch.Entries) > 0 && send(batch.Entries) == nil {
		b.acceptFound(batch)
	}
}
