// Package producerconsumer_ok is ProducerConsumer of Empire's Table 2, written
// after the name and the scenario alone, put right: a bounded buffer whose Put and
// Get wait, with the lock, until there is room or an element. They test again after
// each Wait, so no one else has changed the count since the test that let them
// pass.
package producerconsumer_ok

import "sync"

const size = 2

// A Buffer holds at most size elements.
type Buffer struct {
	mu       sync.Mutex
	notFull  sync.Cond
	notEmpty sync.Cond
	items    [size]int //atomvet:set buffer
	in, out  int       //atomvet:set buffer
	count    int       //atomvet:set buffer
}

func newBuffer() *Buffer {
	b := new(Buffer)
	b.notFull.L = &b.mu
	b.notEmpty.L = &b.mu
	return b
}

// Put waits for room and appends x.
func (b *Buffer) Put(x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.count == size {
		b.notFull.Wait()
	}
	b.items[b.in] = x
	b.in = (b.in + 1) % size
	b.count++
	b.notEmpty.Signal()
}

// Get waits for an element and takes it.
func (b *Buffer) Get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.count == 0 {
		b.notEmpty.Wait()
	}
	x := b.items[b.out]
	b.out = (b.out + 1) % size
	b.count--
	b.notFull.Signal()
	return x
}

// Run returns the sum of the elements that were lost.
func Run() int {
	const each = 2000
	b := newBuffer()
	sums := make(chan int)
	for range 2 {
		go func() {
			for x := range each {
				b.Put(x)
			}
		}()
		go func() {
			sum := 0
			for range each {
				sum += b.Get()
			}
			sums <- sum
		}()
	}
	sum := <-sums + <-sums
	return each*(each-1) - sum
}
