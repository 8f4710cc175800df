// Package producerconsumer_total is a second ProducerConsumer (Table 2 of Empire
// has one whose source is not known; this is after the one of jtool): the bounded
// buffer is right, but the consumers add to one total outside of it.
//
// AV1: consume. It reads the total; consume of another consumer; it writes the
// total: an element has not been added.
package producerconsumer_total

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

const size = 2

// A Buffer holds at most size elements.
type Buffer struct {
	mu       sync.Mutex
	notFull  sync.Cond
	notEmpty sync.Cond
	items    [size]int
	in, out  int
	count    int
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

type driver struct {
	buffer *Buffer
	total  int //atomvet:set total
}

// consume adds an element to the total.
//
//atomvet:unit
func (d *driver) consume() {
	x := d.buffer.Get()
	before := d.total // AV1: the first access
	pause()
	d.total = before + x // want `^R\(a\) W'\(a\) W\(a\): \(\*driver\)\.consume is not .*, if another \(\*driver\)\.consume comes`
}

// Run returns the sum of the elements that have not been added.
func Run() int {
	const each = 2000
	d := &driver{buffer: newBuffer()}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for x := range each {
				d.buffer.Put(x)
			}
		})
		wg.Go(func() {
			for range each {
				d.consume()
			}
		})
	}
	wg.Wait()
	return each*(each-1) - d.total
}
