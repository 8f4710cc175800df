// Linkedlist has two builders that append to one list. Only the insertion is
// locked, not the walk to the end before it, so both append to the same end:
// R(next) W'(next) W(next), or R(head) W'(head) W(head) while the list is
// empty, and an element is lost.
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
	mu sync.Mutex
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

func main() {
	lost := 0
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
		lost += l.missing()
	}
	fmt.Println("elements lost:", lost)
}
