// Producerconsumer has a bounded buffer whose test for room and whose put are
// two critical sections, and so are its test for elements and its get. Two
// producers see the same last place, two consumers the same last element:
// R(count) W'(count) W(count), and the count leaves its bounds.
package main

import (
	"fmt"
	"sync"
)

const size = 2

// A Buffer holds at most size elements.
type Buffer struct {
	mu      sync.Mutex
	items   [size]int //atomvet:set buffer
	in, out int       //atomvet:set buffer
	count   int       //atomvet:set buffer
	damaged int       // how often the count was out of bounds
}

func (b *Buffer) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count >= size
}

func (b *Buffer) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count <= 0
}

// Put appends x, for which there is room.
//
//atomvet:notunit
func (b *Buffer) Put(x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items[b.in] = x
	b.in = (b.in + 1) % size
	b.count++
	if b.count > size {
		b.damaged++
	}
}

// Get takes the first element, which there is.
//
//atomvet:notunit
func (b *Buffer) Get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.items[b.out]
	b.out = (b.out + 1) % size
	b.count--
	if b.count < 0 {
		b.damaged++
	}
	return x
}

// produce appends x if there is room.
//
//atomvet:unit
func (b *Buffer) produce(x int) {
	if !b.full() {
		b.Put(x) // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.produce is not .*, if another \(\*Buffer\)\.produce comes`
	}
}

// consume takes an element if there is one.
//
//atomvet:unit
func (b *Buffer) consume() (x int, ok bool) {
	if b.empty() {
		return 0, false
	}
	return b.Get(), true // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.consume is not .*, if \(\*Buffer\)\.produce comes`
}

func main() {
	b := new(Buffer)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for x := range 20000 {
				b.produce(x)
			}
		})
		wg.Go(func() {
			for range 20000 {
				b.consume()
			}
		})
	}
	wg.Wait()
	fmt.Println("puts and gets out of bounds:", b.damaged)
}
