// Package ok tells when all work up to an index is finished.
package ok

import (
	"container/heap"
	"context"
	"sync/atomic"
)

type indices []uint64

func (h indices) Len() int           { return len(h) }
func (h indices) Less(i, j int) bool { return h[i] < h[j] }
func (h indices) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *indices) Push(x any)        { *h = append(*h, x.(uint64)) }
func (h *indices) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type mark struct {
	index  uint64
	done   bool
	waiter chan struct{}
}

// WaterMark keeps the highest index below which everything is done.
// Begin calls have to come in strictly rising order of the index, each before
// its Done.
type WaterMark struct {
	doneUntil atomic.Uint64
	markCh    chan mark
}

// NewWaterMark starts a mark that lives as long as ctx.
func NewWaterMark(ctx context.Context) *WaterMark {
	w := &WaterMark{markCh: make(chan mark, 100)}
	go w.process(ctx)
	return w
}

// Begin says that work on the index starts.
func (w *WaterMark) Begin(index uint64) { w.markCh <- mark{index: index} }

// Done says that work on the index has finished.
func (w *WaterMark) Done(index uint64) { w.markCh <- mark{index: index, done: true} }

// DoneUntil returns the mark.
func (w *WaterMark) DoneUntil() uint64 { return w.doneUntil.Load() }

// WaitFor waits until all work up to the index is finished.
func (w *WaterMark) WaitFor(ctx context.Context, index uint64) error {
	if w.doneUntil.Load() >= index {
		return nil
	}
	waiter := make(chan struct{})
	select {
	case w.markCh <- mark{index: index, waiter: waiter}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-waiter:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *WaterMark) process(ctx context.Context) {
	var open indices
	pending := make(map[uint64]int)
	waiters := make(map[uint64][]chan struct{})

	for {
		var m mark
		select {
		case m = <-w.markCh:
		case <-ctx.Done():
			return
		}
		if m.waiter != nil {
			if w.doneUntil.Load() >= m.index {
				close(m.waiter)
			} else {
				waiters[m.index] = append(waiters[m.index], m.waiter)
			}
			continue
		}
		if _, ok := pending[m.index]; !ok {
			heap.Push(&open, m.index)
		}
		if m.done {
			pending[m.index]--
		} else {
			pending[m.index]++
		}
		until := w.doneUntil.Load()
		for len(open) > 0 && pending[open[0]] <= 0 {
			until = max(until, open[0])
			delete(pending, heap.Pop(&open).(uint64))
		}
		w.doneUntil.Store(until)
		for index, chs := range waiters {
			if index <= until {
				for _, ch := range chs {
					close(ch)
				}
				delete(waiters, index)
			}
		}
	}
}
