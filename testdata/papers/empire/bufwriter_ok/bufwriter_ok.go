// Package bufwriter_ok is bufwriter of Empire's Table 2 put right: writers fill a
// buffer and a checker drains it. All of them hold the lock from the test of the
// position to the count, so the elements counted are those drained and those still
// in the buffer.
package bufwriter_ok

import (
	"sync"
	"time"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Buffer counts all elements that were ever put into it.
type Buffer struct {
	mu    sync.Mutex
	items [64]int //atomvet:set buffer
	pos   int     //atomvet:set buffer
	count int     //atomvet:set buffer
}

// SyncWrite puts x into the buffer unless that is full.
func (b *Buffer) SyncWrite(x int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pos
	if p == len(b.items) {
		return false
	}
	b.items[p] = x
	pause()
	b.pos = p + 1
	b.count++
	return true
}

// Write puts x into the buffer unless that is full.
func (b *Buffer) Write(x int) bool {
	b.mu.Lock()
	p := b.pos
	if p == len(b.items) {
		b.mu.Unlock()
		return false
	}
	pause()
	b.items[p] = x
	b.pos = p + 1
	pause()
	b.count++
	b.mu.Unlock()
	return true
}

// Drain empties the buffer and returns how many elements it had.
func (b *Buffer) Drain() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.pos
	b.pos = 0
	return n
}

func fill(write func(int) bool) {
	for x := range 2000 {
		for try := 0; try < 100 && !write(x); try++ {
			time.Sleep(10 * time.Microsecond)
		}
	}
}

// Run returns how many elements were drained and how many were counted.
func Run() (elements, count int) {
	b := new(Buffer)
	var wg sync.WaitGroup
	wg.Go(func() { fill(b.SyncWrite) })
	wg.Go(func() { fill(b.SyncWrite) })
	wg.Go(func() { fill(b.Write) })

	stop := make(chan struct{})
	drained := make(chan int)
	go func() {
		total := 0
		for {
			select {
			case <-stop:
				drained <- total + b.Drain()
				return
			default:
				for range 1000 {
					total += b.Drain()
				}
				time.Sleep(10 * time.Microsecond)
			}
		}
	}()
	wg.Wait()
	close(stop)
	return <-drained, b.count
}
