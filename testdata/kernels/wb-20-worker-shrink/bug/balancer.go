// Package balancer spreads tasks over workers.
package balancer

import "sync"

// Task is something to do.
type Task interface{ Do() }

type worker struct {
	mu      sync.Mutex
	wake    *sync.Cond
	queue   []Task
	retired bool
}

func startWorker() *worker {
	w := &worker{}
	w.wake = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// run ends when the worker is retired and has done everything.
func (w *worker) run() {
	for {
		w.mu.Lock()
		for len(w.queue) == 0 && !w.retired {
			w.wake.Wait()
		}
		if len(w.queue) == 0 {
			w.mu.Unlock()
			return
		}
		t := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		t.Do()
	}
}

func (w *worker) push(t Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, t)
	w.wake.Signal()
}

func (w *worker) retire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.retired = true
	w.wake.Signal()
}

// Balancer has at least one worker. It is safe for concurrent use.
type Balancer struct {
	mu      sync.Mutex
	workers []*worker
	next    int
}

// New starts n workers.
func New(n int) *Balancer {
	b := &Balancer{}
	b.Grow(max(n, 1))
	return b
}

// Grow starts n more workers.
func (b *Balancer) Grow(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range n {
		b.workers = append(b.workers, startWorker())
	}
}

// Shrink retires up to n workers.
func (b *Balancer) Shrink(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; n > 0 && len(b.workers) > 1; n-- {
		last := len(b.workers) - 1
		b.workers[last].retire()
		b.workers = b.workers[:last]
	}
}

func (b *Balancer) pick() *worker {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.workers[b.next%len(b.workers)]
}

// Submit gives a task to one of the workers.
func (b *Balancer) Submit(t Task) {
	w := b.pick()
	w.push(t)
}
