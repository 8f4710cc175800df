// Package bufwriter is bufwriter of Empire's Table 2: writers fill a buffer and a
// checker drains it. SyncWrite holds the lock. Write stores its element without
// the lock and only counts it with the lock.
//
// AV1: Write. It reads the position; Drain of the checker; it writes the position:
// what was drained is in the buffer again.
//
// AV2: SyncWrite. It stores its element; Write, which does not wait for the lock,
// stores another one in the same place; SyncWrite writes the position: its element
// is lost, though it is counted.
//
// AV3: Write. It writes the position; SyncWrite, or whoever compares the position
// with the count; it writes the count: the two do not fit together meanwhile.
package bufwriter

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
	b.items[p] = x // AV2: the first access
	pause()
	b.pos = p + 1 // AV2: the second access
	b.count++
	return true
}

// Write puts x into the buffer unless that is full.
func (b *Buffer) Write(x int) bool {
	p := b.pos // AV1: the first access
	if p == len(b.items) {
		return false
	}
	pause()
	b.items[p] = x // want `^W\(a\) W'\(a\) W'\(b\) W\(b\): \(\*Buffer\)\.Write can come between the accesses of \(\*Buffer\)\.SyncWrite`
	b.pos = p + 1  // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.Write is not .*, if \(\*Buffer\)\.Drain comes`
	pause()
	b.mu.Lock()
	b.count++ // want `^W\(a\) W'\(a\) W'\(b\) W\(b\): \(\*Buffer\)\.Write is not .*, if \(\*Buffer\)\.SyncWrite comes`
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
