// Package lanes runs functions of the same key one after another, and those of
// different keys at the same time.
package lanes

import (
	"context"
	"hash/maphash"
	"log"
	"sync"
)

// lane runs its functions in order. A goroutine exists only while there is
// something to run.
type lane struct {
	name int

	mu      sync.Mutex
	queue   []func()
	running bool // a goroutine works the queue off
	done    int
}

// post adds fn to the end of the lane.
func (l *lane) post(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, fn)
	if !l.running {
		l.running = true
		go l.run()
	}
}

// next takes the first function out of the lane. The goroutine of the lane ends
// when there is none.
func (l *lane) next() (func(), bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.queue = nil
		l.running = false
		return nil, false
	}
	fn := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return fn, true
}

// run works the lane off.
func (l *lane) run() {
	for {
		fn, ok := l.next()
		if !ok {
			return
		}
		l.call(fn)
	}
}

// call runs fn and survives its panics.
func (l *lane) call(fn func()) {
	defer func() {
		if p := recover(); p != nil {
			log.Printf("lane %d: %v", l.name, p)
		}
		l.mu.Lock()
		l.done++
		l.mu.Unlock()
	}()
	fn()
}

// depth returns how many functions wait and how many have run.
func (l *lane) depth() (waiting, done int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue), l.done
}

// Executor spreads keys over a fixed number of lanes. It is safe for
// concurrent use.
type Executor struct {
	seed  maphash.Seed
	lanes []*lane
}

// New returns an Executor with n lanes.
func New(n int) *Executor {
	e := &Executor{seed: maphash.MakeSeed(), lanes: make([]*lane, n)}
	for i := range e.lanes {
		e.lanes[i] = &lane{name: i}
	}
	return e
}

// Submit runs fn after the functions submitted before it with the same key.
func (e *Executor) Submit(key string, fn func()) {
	h := maphash.String(e.seed, key)
	e.lanes[h%uint64(len(e.lanes))].post(fn)
}

// Call runs fn like Submit and waits for its result.
func (e *Executor) Call(ctx context.Context, key string, fn func() error) error {
	res := make(chan error, 1)
	e.Submit(key, func() { res <- fn() })
	select {
	case err := <-res:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Barrier waits until everything submitted so far has run.
func (e *Executor) Barrier() {
	var wg sync.WaitGroup
	for _, l := range e.lanes {
		wg.Add(1)
		l.post(wg.Done)
	}
	wg.Wait()
}

// Waiting returns roughly how many functions have not started. It feeds the
// queue depth gauge.
func (e *Executor) Waiting() int {
	n := 0
	for _, l := range e.lanes {
		w, _ := l.depth()
		n += w
	}
	return n
}
