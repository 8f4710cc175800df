// Package frontier orders the URLs of a crawl by priority.
package frontier

import (
	"container/heap"
	"context"
	"net/url"
	"sync"
)

type item struct {
	u    *url.URL
	rank int
	seq  int
}

type items []item

func (h items) Len() int { return len(h) }
func (h items) Less(i, j int) bool {
	if h[i].rank != h[j].rank {
		return h[i].rank > h[j].rank
	}
	return h[i].seq < h[j].seq
}
func (h items) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *items) Push(x any)   { *h = append(*h, x.(item)) }
func (h *items) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Ranker scores a URL; it may be slow.
type Ranker interface {
	Rank(u *url.URL) int
}

type Frontier struct {
	rank Ranker
	wake chan struct{} // capacity 1
	out  chan *url.URL

	mu   sync.Mutex
	heap items
	seen map[string]struct{}
	seq  int
}

// New starts the only scheduler of the frontier.
func New(ctx context.Context, r Ranker) *Frontier {
	f := &Frontier{
		rank: r,
		wake: make(chan struct{}, 1),
		out:  make(chan *url.URL),
		seen: make(map[string]struct{}),
	}
	go f.schedule(ctx)
	return f
}

// URLs is where the fetchers take their work from.
func (f *Frontier) URLs() <-chan *url.URL { return f.out }

func (f *Frontier) insert(u *url.URL, rank int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, dup := f.seen[u.String()]; dup {
		return false
	}
	f.seen[u.String()] = struct{}{}
	f.seq++
	heap.Push(&f.heap, item{u: u, rank: rank, seq: f.seq})
	return true
}

// Add may be called from any goroutine and does not block.
func (f *Frontier) Add(u *url.URL) {
	if !f.insert(u, f.rank.Rank(u)) {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default: // a token is waiting already
	}
}

func (f *Frontier) best() (*url.URL, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.heap) == 0 {
		return nil, false
	}
	return heap.Pop(&f.heap).(item).u, true
}

func (f *Frontier) schedule(ctx context.Context) {
	defer close(f.out)
	for {
		u, ok := f.best()
		if !ok {
			select {
			case <-f.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case f.out <- u:
		case <-ctx.Done():
			return
		}
	}
}
