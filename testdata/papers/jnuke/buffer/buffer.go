// Package buffer is the buffer of Fig. 5, of "Using block-local atomicity to detect
// stale-value concurrency errors".
//
// Right: worker takes a value out of the buffer in one critical section, computes,
// and puts the result back in another. What it puts depends on what it took, but a
// value that was taken is the worker's own: nobody else can change it in between,
// and the buffer needs no relation between the two. The analysis of the paper
// reports it nevertheless.
package buffer

import "sync"

type Buffer struct {
	mu    sync.Mutex
	items []int
}

// Next takes the oldest item, if there is one.
func (b *Buffer) Next() (item int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		return 0, false
	}
	item = b.items[0]
	b.items = b.items[1:]
	return item, true
}

func (b *Buffer) Add(item int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, item)
}

func worker(b *Buffer) {
	for range 10 {
		value, ok := b.Next()
		if !ok {
			continue
		}
		b.Add(f(value))
	}
}

func f(n int) int { return n + 1 }

func work() *Buffer {
	b := &Buffer{items: []int{0, 100, 200, 300}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { worker(b) })
	}
	wg.Wait()
	return b
}

func Run() { work() }
