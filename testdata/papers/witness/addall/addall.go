// Package addall is CopyOnWriteArrayList.addAll of util.concurrent, from the paper
// about context and witness locks (Fig. 11, sor).
//
// List.AddAll holds the list and asks the collection for its length, to make room,
// and then for its items. The collection has a lock of its own, which is free in
// between: after Bag.Clear there are fewer items than room, and the list has
// items that nobody ever put there.
package addall

import (
	"slices"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Collection interface {
	Len() int
	Items() []string
}

type Bag struct {
	mu    sync.Mutex
	items []string
}

func (b *Bag) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = nil
}

func (b *Bag) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

func (b *Bag) Items() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.items)
}

// List never changes an array it has handed out.
type List struct {
	mu    sync.Mutex
	array []string
}

func (l *List) Items() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.array
}

func (l *List) AddAll(c Collection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := c.Len()
	pause()
	array := make([]string, len(l.array)+n)
	copy(array, l.array)
	copy(array[len(l.array):], c.Items())
	l.array = array
}

func Run() {
	l := &List{array: []string{"a"}}
	b := &Bag{items: []string{"b", "c"}}
	var wg sync.WaitGroup
	wg.Go(func() { l.AddAll(b) })
	wg.Go(b.Clear)
	wg.Go(func() { l.Items() })
	wg.Wait()
}
