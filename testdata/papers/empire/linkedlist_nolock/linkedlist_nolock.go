// Package linkedlist_nolock is BugTester of Empire's Table 2 (ConTest's linked
// list) without any lock: two builders append to one list.
//
// AV1: AddLast. It walks to the end of the list; AddLast of the other builder; it
// inserts after what was the end: the other builder's element is lost. So may a
// count be: to increase the size is to read and to write it.
package linkedlist_nolock

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type node struct {
	value int
	//atomvet:set list
	next *node
}

// A List is a singly linked list.
type List struct {
	//atomvet:set list
	head *node
	//atomvet:set list
	size int
}

// AddLast appends x.
func (l *List) AddLast(x int) {
	at := l.end() // AV1: the first access
	pause()
	l.insert(at, x) // want `^R\(a\) W'\(a\) W\(a\): \(\*List\)\.AddLast is not .*, if another \(\*List\)\.AddLast comes`
}

// end returns the last node, or nil.
func (l *List) end() *node {
	n := l.head
	if n == nil {
		return nil
	}
	for n.next != nil {
		n = n.next
	}
	return n
}

func (l *List) insert(after *node, x int) {
	n := &node{value: x}
	if after == nil {
		l.head = n
	} else {
		after.next = n
	}
	l.size++
}

func (l *List) length() int {
	n := 0
	for at := l.head; at != nil; at = at.next {
		n++
	}
	return n
}

// Run has many lists built and returns how many elements were lost, and how many
// were not counted.
func Run() (lost, miscounted int) {
	for range 200 {
		l := new(List)
		var wg sync.WaitGroup
		for _, from := range []int{0, 5} {
			wg.Go(func() {
				for i := range 5 {
					l.AddLast(from + i)
				}
			})
		}
		wg.Wait()
		lost += 10 - l.length()
		miscounted += 10 - l.size
	}
	return lost, miscounted
}
