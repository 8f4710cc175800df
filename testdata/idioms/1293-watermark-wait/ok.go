package y

import (
	"container/heap"
	"context"
	"sync/atomic"
)

type uint64Heap []uint64

func (u uint64Heap) Len() int           { return len(u) }
func (u uint64Heap) Less(i, j int) bool { return u[i] < u[j] }
func (u uint64Heap) Swap(i, j int)      { u[i], u[j] = u[j], u[i] }
func (u *uint64Heap) Push(x any)        { *u = append(*u, x.(uint64)) }
func (u *uint64Heap) Pop() any {
	old := *u
	n := len(old)
	x := old[n-1]
	*u = old[0 : n-1]
	return x
}

// mark contains one of more indices, along with a done boolean to indicate the
// status of the index: begin or done. It also contains waiters, who could be
// waiting for the watermark to reach >= a certain index.
type mark struct {
	index  uint64
	waiter chan struct{}
	done   bool
}

// WaterMark is used to keep track of the minimum un-finished index. Typically, an index k becomes
// finished or "done" according to a WaterMark once Done(k) has been called as many times as
// Begin(k) has.
type WaterMark struct {
	doneUntil atomic.Uint64
	lastIndex atomic.Uint64
	markCh    chan mark
}

// Init initializes a WaterMark struct. MUST be called before using it.
func (w *WaterMark) Init(stop <-chan struct{}) {
	w.markCh = make(chan mark, 100)
	go w.process(stop)
}

// Begin is called with growing indices, under the lock of the caller.
func (w *WaterMark) Begin(index uint64) {
	w.lastIndex.Store(index)
	w.markCh <- mark{index: index, done: false}
}

// Done sets a single index as done.
func (w *WaterMark) Done(index uint64) {
	w.markCh <- mark{index: index, done: true}
}

// DoneUntil returns the maximum index that has the property that all indices
// less than or equal to it are done.
func (w *WaterMark) DoneUntil() uint64 {
	return w.doneUntil.Load()
}

// WaitForMark waits until the given index is marked as done.
func (w *WaterMark) WaitForMark(ctx context.Context, index uint64) error {
	if w.DoneUntil() >= index {
		return nil
	}
	waitCh := make(chan struct{})
	w.markCh <- mark{index: index, waiter: waitCh}

	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-waitCh:
		return nil
	}
}

// process is used to process the Mark channel. This is not thread-safe,
// so only run one goroutine for process.
func (w *WaterMark) process(stop <-chan struct{}) {
	var indices uint64Heap
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
			min := indices[0]
			if pending[min] > 0 {
				break // len(indices) will be > 0.
			}
			heap.Pop(&indices)
			delete(pending, min)
			until = min
		}
		if until != doneUntil {
			w.doneUntil.Store(until)
		}
		for idx, toNotify := range waiters {
			if idx <= until {
				for _, ch := range toNotify {
					close(ch)
				}
				delete(waiters, idx)
			}
		}
	}

	for {
		select {
		case <-stop:
			return
		case mark := <-w.markCh:
			if mark.waiter != nil {
				if w.doneUntil.Load() >= mark.index {
					close(mark.waiter)
				} else {
					waiters[mark.index] = append(waiters[mark.index], mark.waiter)
				}
				continue
			}
			processOne(mark.index, mark.done)
		}
	}
}
