// Package a is a queue whose worker pool grows under load.
package a

import (
	"context"
	"sync"
	"time"
)

// Handler processes one item.
type Handler func(item string)

// WorkerPool runs at most maxWorkers handlers at a time.
type WorkerPool struct {
	ctx     context.Context
	handle  Handler
	items   chan string
	timeout time.Duration
	wg      sync.WaitGroup

	mu         sync.Mutex
	workers    int
	maxWorkers int
}

func NewWorkerPool(ctx context.Context, max, queue int, timeout time.Duration, h Handler) *WorkerPool {
	return &WorkerPool{
		ctx:        ctx,
		handle:     h,
		items:      make(chan string, queue),
		timeout:    timeout,
		maxWorkers: max,
	}
}

// Push queues an item and starts another worker if the queue is full.
func (p *WorkerPool) Push(item string) error {
	if p.NumberOfWorkers() == 0 {
		p.boost()
	}
	for {
		select {
		case p.items <- item:
			return nil
		case <-p.ctx.Done():
			return p.ctx.Err()
		case <-time.After(p.timeout):
			p.boost()
		}
	}
}

// boost adds a worker unless the pool has its maximum already.
func (p *WorkerPool) boost() {
	if !p.hasSpareWorkers() {
		return
	}
	p.addWorker()
}

func (p *WorkerPool) hasSpareWorkers() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers < p.maxWorkers
}

func (p *WorkerPool) addWorker() {
	p.mu.Lock()
	p.workers++
	p.mu.Unlock()

	p.wg.Add(1)
	go p.work()
}

func (p *WorkerPool) work() {
	defer p.wg.Done()
	defer p.workerDone()
	for {
		select {
		case item := <-p.items:
			p.handle(item)
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *WorkerPool) workerDone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers--
}

// NumberOfWorkers is the current size of the pool.
func (p *WorkerPool) NumberOfWorkers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers
}

// SetMaxNumberOfWorkers changes the limit for new workers.
func (p *WorkerPool) SetMaxNumberOfWorkers(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.maxWorkers = n
}

// Wait returns when all workers have ended. It is called after the
// context was cancelled and the producers have returned.
func (p *WorkerPool) Wait() { p.wg.Wait() }
