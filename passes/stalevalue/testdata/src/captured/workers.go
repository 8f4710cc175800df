package captured

import (
	"sync"
	"sync/atomic"
)

// inWorkers calls f from several goroutines.
func inWorkers(queue chan int, f func(int)) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for x := range queue {
				f(x)
			}
		}()
	}
	wg.Wait()
}

// inOne calls f from one goroutine.
func inOne(queue chan int, f func(int)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for x := range queue {
			f(x)
		}
	}()
	<-done
}

// Largest loses a number that another worker stores in between.
func Largest(queue chan int) int64 {
	var most atomic.Int64
	inWorkers(queue, func(x int) {
		if n := most.Load(); int64(x) > n {
			most.Store(int64(x)) // want `check-then-act: most was checked at line \d+, but the atomic operations are separate`
		}
	})
	return most.Load()
}

// LargestOfOne has one worker.
func LargestOfOne(queue chan int) int64 {
	var most atomic.Int64
	inOne(queue, func(x int) {
		if n := most.Load(); int64(x) > n {
			most.Store(int64(x))
		}
	})
	return most.Load()
}
