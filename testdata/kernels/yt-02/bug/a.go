// Package picking hands picking waves to the people with the carts.
package picking

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

var (
	ErrNothingToPick = errors.New("picking: nothing to pick")
	ErrBusy          = errors.New("picking: picker already has a wave")
)

// Wave is a group of order lines from one bin.
type Wave struct {
	ID    string
	Bin   string
	Due   time.Time
	Units int
	index int
}

type waveHeap []*Wave

func (h waveHeap) Len() int           { return len(h) }
func (h waveHeap) Less(i, j int) bool { return h[i].Due.Before(h[j].Due) }
func (h waveHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *waveHeap) Push(x any) {
	w := x.(*Wave)
	w.index = len(*h)
	*h = append(*h, w)
}
func (h *waveHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	w.index = -1
	return w
}

// Stock answers how many units lie in a bin.
type Stock interface {
	OnHand(ctx context.Context, bin string) (int, error)
}

type waveQueue struct {
	mu sync.Mutex
	h  waveHeap
}

func (q *waveQueue) add(w *Wave) {
	q.mu.Lock()
	defer q.mu.Unlock()
	heap.Push(&q.h, w)
}

func (q *waveQueue) first() (*Wave, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.h) == 0 {
		return nil, false
	}
	return q.h[0], true
}

// take drops the wave that is about to be handed out.
func (q *waveQueue) take(w *Wave) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.h) == 0 {
		return false
	}
	heap.Pop(&q.h)
	return true
}

// Board is what the handhelds talk to.
type Board struct {
	stock Stock
	queue waveQueue

	mu      sync.Mutex
	pickers map[string]*Wave
	short   map[string]int
}

func NewBoard(s Stock) *Board {
	return &Board{stock: s, pickers: make(map[string]*Wave), short: make(map[string]int)}
}

func (b *Board) Release(w Wave) { b.queue.add(&w) }

// claim reserves the picker's cart; nil is the placeholder of an assignment in progress.
func (b *Board) claim(picker string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, busy := b.pickers[picker]; busy {
		return fmt.Errorf("%w: %s", ErrBusy, picker)
	}
	b.pickers[picker] = nil
	return nil
}

func (b *Board) settle(picker string, w *Wave) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w == nil {
		delete(b.pickers, picker)
		return
	}
	b.pickers[picker] = w
}

func (b *Board) noteShort(w *Wave, have int) {
	b.mu.Lock()
	b.short[w.Bin] += w.Units - have
	b.mu.Unlock()
	log.Printf("picking: bin %s short by %d", w.Bin, w.Units-have)
}

// Assign gives the picker the most urgent wave.
func (b *Board) Assign(ctx context.Context, picker string) (got *Wave, err error) {
	if err := b.claim(picker); err != nil {
		return nil, err
	}
	defer func() { b.settle(picker, got) }()

	for {
		w, ok := b.queue.first()
		if !ok {
			return nil, ErrNothingToPick
		}
		have, err := b.stock.OnHand(ctx, w.Bin)
		if err != nil {
			return nil, fmt.Errorf("stock of bin %s: %w", w.Bin, err)
		}
		if !b.queue.take(w) {
			continue
		}
		if have < w.Units {
			b.noteShort(w, have)
			continue
		}
		return w, nil
	}
}

func (b *Board) Done(picker string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pickers[picker] != nil {
		delete(b.pickers, picker)
	}
}
