// Linkedlist_nolock has two builders that append to one list without any lock.
// Both append to the same end, R(next) W'(next) W(next), or R(head) W'(head)
// W(head) while the list is empty, and an element is lost. So is a count:
// R(size) W'(size) W(size).
package main

import (
	"fmt"
	"sync"
)

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
	l.insert(l.end(), x) // want `^R\(a\) W'\(a\) W\(a\): \(\*List\)\.AddLast is not .*, if another \(\*List\)\.AddLast comes`
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

func main() {
	lost, miscounted := 0, 0
	for range 1000 {
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
	fmt.Println("elements lost:", lost, "not counted:", miscounted)
}
