package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var ErrClosed = errors.New("pool: closed")

// Task is a piece of work.
type Task func(ctx context.Context) error

// Option sets up a Pool.
type Option func(*Pool)

// WithLimits bounds the number of workers.
func WithLimits(lo, hi int) Option {
	return func(p *Pool) { p.lo, p.hi = lo, hi }
}

// WithBacklog sets how many tasks may wait.
func WithBacklog(n int) Option {
	return func(p *Pool) { p.tasks = make(chan Task, n) }
}

// Pool runs tasks on a varying number of workers.
type Pool struct {
	lo, hi int
	tasks  chan Task
	ctx    context.Context
	failed atomic.Int64

	mu    sync.Mutex
	stops []chan struct{}
}

// New starts a pool with the smallest number of workers.
func New(ctx context.Context, opts ...Option) *Pool {
	p := &Pool{lo: 1, hi: 4, tasks: make(chan Task, 64), ctx: ctx}
	for _, o := range opts {
		o(p)
	}
	p.grow(p.lo)
	return p
}

// Submit queues a task.
func (p *Pool) Submit(ctx context.Context, t Task) error {
	select {
	case p.tasks <- t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return ErrClosed
	}
}

// Size is the number of workers.
func (p *Pool) Size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.stops)
}

func (p *Pool) grow(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range n {
		stop := make(chan struct{})
		p.stops = append(p.stops, stop)
		go p.work(stop)
	}
}

func (p *Pool) shrink(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n > 0 && len(p.stops) > 0 {
		last := len(p.stops) - 1
		close(p.stops[last])
		p.stops = p.stops[:last]
		n--
	}
}

// Scale changes the number of workers to want, within the limits, and returns
// the number that was chosen.
func (p *Pool) Scale(want int) int {
	want = min(max(want, p.lo), p.hi)
	have := p.Size()
	switch {
	case want > have:
		p.grow(want - have)
	case want < have:
		p.shrink(have - want)
	}
	return want
}

func (p *Pool) work(stop <-chan struct{}) {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-stop:
			return
		case t := <-p.tasks:
			if err := t(p.ctx); err != nil {
				p.failed.Add(1)
				log.Printf("pool: %v", err)
			}
		}
	}
}

// Autoscale follows the length of the queue until the pool ends.
func (p *Pool) Autoscale(every time.Duration, perWorker int) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-t.C:
		}
		p.Scale((len(p.tasks) + perWorker - 1) / perWorker)
	}
}

// ServeHTTP lets an operator look at the pool and scale it by hand.
func (p *Pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		n, err := strconv.Atoi(r.FormValue("workers"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		log.Printf("pool: scaled to %d by %s", p.Scale(n), r.RemoteAddr)
	}
	fmt.Fprintf(w, "workers %d waiting %d failed %d\n", p.Size(), len(p.tasks), p.failed.Load())
}
