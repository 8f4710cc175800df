// Package linkedlist_container_ok is BugTester of Empire's Table 2 (ConTest's
// linked list, which also builds one of the library's) with container/list, put
// right: two builders append to one list, whose lock AddLast holds.
package linkedlist_container_ok

import (
	"container/list"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A List knows its end.
type List struct {
	mu sync.Mutex
	//atomvet:set list
	all *list.List
	//atomvet:set list
	end *list.Element
}

// NewList returns a list of one element.
func NewList(x int) *List {
	all := list.New()
	return &List{all: all, end: all.PushBack(x)}
}

// AddLast appends x.
func (l *List) AddLast(x int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.end
	pause()
	l.end = l.all.InsertAfter(x, at)
}

// values returns the elements in their order.
func (l *List) values() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []int
	for e := l.all.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(int))
	}
	return out
}

// Run has many lists built and returns how many elements were lost.
func Run() int {
	lost := 0
	for range 200 {
		l := NewList(-1)
		var wg sync.WaitGroup
		for _, from := range []int{0, 5} {
			wg.Go(func() {
				for i := range 5 {
					l.AddLast(from + i)
				}
			})
		}
		wg.Wait()
		lost += 11 - len(l.values())
	}
	return lost
}
