// Bufwriter has writers that fill a buffer and a checker that drains it. Write
// stores its element without the lock and only counts it with the lock, so
// R(pos) W'(pos) W(pos) with another writer or the checker makes the position
// one that does not fit the count.
package main

import (
	"fmt"
	"sync"
	"time"
)

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
	b.pos = p + 1
	b.count++
	return true
}

// Write puts x into the buffer unless that is full.
func (b *Buffer) Write(x int) bool {
	p := b.pos
	if p == len(b.items) {
		return false
	}
	b.items[p] = x // want `^W\(a\) W'\(a\) W'\(b\) W\(b\): \(\*Buffer\)\.Write can come between the accesses of \(\*Buffer\)\.SyncWrite`
	b.pos = p + 1  // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.Write is not .*, if \(\*Buffer\)\.Drain comes`
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
	for x := range 5000 {
		for try := 0; try < 100 && !write(x); try++ {
			time.Sleep(10 * time.Microsecond)
		}
	}
}

func main() {
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
	fmt.Println("drained:", <-drained, "counted:", b.count)
}
