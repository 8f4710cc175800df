// Package linkedlist_ok is BugTester of Empire's Table 2 (ConTest's linked list)
// put right: two builders append to one list. AddLast holds the lock from the walk
// to the end to the insertion, so that the end is still the end.
package linkedlist_ok

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
	mu sync.Mutex
	//atomvet:set list
	head *node
	//atomvet:set list
	size int
}

// AddLast appends x.
func (l *List) AddLast(x int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.endLocked()
	pause()
	l.insertLocked(at, x)
}

// endLocked returns the last node, or nil.
func (l *List) endLocked() *node {
	n := l.head
	if n == nil {
		return nil
	}
	for n.next != nil {
		n = n.next
	}
	return n
}

func (l *List) insertLocked(after *node, x int) {
	n := &node{value: x}
	if after == nil {
		l.head = n
	} else {
		after.next = n
	}
	l.size++
}

// missing returns how many of the elements added are not in the list.
func (l *List) missing() int {
	n := l.size
	for at := l.head; at != nil; at = at.next {
		n--
	}
	return n
}

// Run has many lists built and returns how many elements were lost.
func Run() int {
	lost := 0
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
		lost += l.missing()
	}
	return lost
}
