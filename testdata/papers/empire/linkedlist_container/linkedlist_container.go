// Package linkedlist_container is BugTester of Empire's Table 2 (ConTest's linked
// list, which also builds one of the library's) with container/list: two builders
// append to one list without any lock, and remember what they have appended as
// the end.
//
// AV1: AddLast. It reads the end; AddLast of the other builder; it writes the end:
// that is now the last element but one, after which the next one is inserted.
//
// InsertAfter itself is no atomic step either, but no test can come in between there.
package linkedlist_container

import (
	"container/list"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A List knows its end.
type List struct {
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
	at := l.end // AV1: the first access
	pause()
	l.end = l.all.InsertAfter(x, at) // want `R\(end\) W'\(end\) W\(end\), if another \(\*List\)\.AddLast comes` `R\(all\) W'\(all\) W\(all\), if another \(\*List\)\.AddLast comes`
}

// values returns the elements in their order.
func (l *List) values() []int {
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
