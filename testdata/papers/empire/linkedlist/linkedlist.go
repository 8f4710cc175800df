// Package linkedlist is BugTester of Empire's Table 2 (ConTest's linked list): two
// builders append to one list. Only the insertion is locked, not the walk to the
// end before it.
//
// AV1: AddLast. It walks to the end of the list; AddLast of the other builder; it
// inserts after what was the end: the other builder's element is lost.
package linkedlist

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
	l.mu.Lock()
	defer l.mu.Unlock()
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
