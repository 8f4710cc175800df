// Package ok tracks up to which number all transactions are done.
package ok

import (
	"container/heap"
	"context"
	"sync"
	"sync/atomic"
)

type indexHeap []uint64

func (h indexHeap) Len() int           { return len(h) }
func (h indexHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h indexHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *indexHeap) Push(x any)        { *h = append(*h, x.(uint64)) }
func (h *indexHeap) Pop() any {
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

// WaterMark is the highest number below which everything is done.
type WaterMark struct {
	doneUntil atomic.Uint64 // written by process only
	markCh    chan mark
	stop      chan struct{}
	wg        sync.WaitGroup
}

// NewWaterMark starts the goroutine that maintains the mark.
func NewWaterMark() *WaterMark {
	w := &WaterMark{markCh: make(chan mark, 100), stop: make(chan struct{})}
	w.wg.Add(1)
	go w.process()
	return w
}

// Begin announces an index. Indices are announced in ascending order.
func (w *WaterMark) Begin(index uint64) { w.markCh <- mark{index: index} }

// Done ends an index.
func (w *WaterMark) Done(index uint64) { w.markCh <- mark{index: index, done: true} }

// DoneUntil returns the mark.
func (w *WaterMark) DoneUntil() uint64 { return w.doneUntil.Load() }

// Wait waits until the mark has reached index.
func (w *WaterMark) Wait(ctx context.Context, index uint64) error {
	if w.DoneUntil() >= index {
		return nil
	}
	waitCh := make(chan struct{})
	w.markCh <- mark{index: index, waiter: waitCh}
	select {
	case <-waitCh:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// process owns all state but the mark itself, which others may read.
func (w *WaterMark) process() {
	defer w.wg.Done()
	var indices indexHeap
	pending := make(map[uint64]int)
	waiters := make(map[uint64][]chan struct{})

	processOne := func(index uint64, done bool) {
		prev, present := pending[index]
		if !present {
			heap.Push(&indices, index)
		}
		delta := 1
		if done {
			delta = -1
		}
		pending[index] = prev + delta

		doneUntil := w.DoneUntil()
		until := doneUntil
		for len(indices) > 0 {
			first := indices[0]
			if pending[first] > 0 {
				break
			}
			heap.Pop(&indices)
			delete(pending, first)
			until = first
		}
		if until == doneUntil {
			return
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

	for {
		select {
		case <-w.stop:
			return
		case m := <-w.markCh:
			switch {
			case m.waiter == nil:
				processOne(m.index, m.done)
			case w.doneUntil.Load() >= m.index:
				close(m.waiter)
			default:
				waiters[m.index] = append(waiters[m.index], m.waiter)
			}
		}
	}
}

// Stop ends the goroutine. Nothing may be announced afterwards.
func (w *WaterMark) Stop() {
	close(w.stop)
	w.wg.Wait()
}

// Oracle gives out transaction numbers.
type Oracle struct {
	mu   sync.Mutex
	next uint64
	mark *WaterMark
}

// NewOracle starts at number 1.
func NewOracle() *Oracle { return &Oracle{next: 1, mark: NewWaterMark()} }

// Commit runs write with the next number.
func (o *Oracle) Commit(write func(ts uint64)) {
	o.mu.Lock()
	ts := o.next
	o.next++
	o.mark.Begin(ts)
	o.mu.Unlock()

	write(ts)
	o.mark.Done(ts)
}

// ReadTs returns a number whose predecessors are all written.
func (o *Oracle) ReadTs(ctx context.Context) (uint64, error) {
	o.mu.Lock()
	ts := o.next - 1
	o.mu.Unlock()
	return ts, o.mark.Wait(ctx, ts)
}
