// Package startjoin is the remark on start and join, of "Using block-local
// atomicity to detect stale-value concurrency errors".
//
// Right: double reads the total in one critical section and writes twice that in
// another, with nothing in between that could make the value stale: the workers
// that change the total have not been started when the first double runs, and have
// all ended when the second does. An analysis that does not know the order of start
// and join reports it.
package startjoin

import "sync"

type Total struct {
	mu sync.Mutex
	n  int
}

func (t *Total) Add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n += n
}

// double is only for when no worker runs.
func (t *Total) double() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	n *= 2
	t.mu.Lock()
	t.n = n
	t.mu.Unlock()
}

func total() int {
	t := &Total{n: 1}
	t.double()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { t.Add(2) })
	}
	wg.Wait()
	t.double()
	return t.n
}

func Run() { total() }
