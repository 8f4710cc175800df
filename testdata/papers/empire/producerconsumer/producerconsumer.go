// Package producerconsumer is ProducerConsumer of Empire's Table 2, written after
// the name and the scenario alone: a bounded buffer whose test for room and whose
// put are two critical sections, and so are its test for elements and its get.
//
// AV1: produce. full; produce of another producer; Put: both take the last place,
// and an element is overwritten.
//
// AV2: consume. empty; consume of another consumer; Get: both take the last
// element.
package producerconsumer

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

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
	if !b.full() { // AV1: the first access
		pause()
		b.Put(x) // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.produce is not .*, if another \(\*Buffer\)\.produce comes`
	}
}

// consume takes an element if there is one.
//
//atomvet:unit
func (b *Buffer) consume() (x int, ok bool) {
	if b.empty() { // AV2: the first access
		return 0, false
	}
	pause()
	return b.Get(), true // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.consume is not .*, if \(\*Buffer\)\.produce comes`
}

// Run returns how many puts and gets went out of bounds.
func Run() int {
	b := new(Buffer)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for x := range 2000 {
				b.produce(x)
			}
		})
		wg.Go(func() {
			for range 2000 {
				b.consume()
			}
		})
	}
	wg.Wait()
	return b.damaged
}
