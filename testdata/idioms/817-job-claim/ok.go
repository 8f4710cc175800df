// Package exports runs the data exports that customers ask for.
package exports

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrUnknown = errors.New("exports: no such export")
	ErrStarted = errors.New("exports: export has started")
)

// Phase is how far an export has got.
type Phase int

const (
	Queued Phase = iota
	Running
	Finished
	Failed
	Cancelled
)

// Export is a request for data, as it is reported to customers.
type Export struct {
	ID       int
	Customer string
	Phase    Phase
	URL      string
	Error    string
	Ended    time.Time
}

// Renderer produces the file of an export and returns its address.
type Renderer func(ctx context.Context, customer string) (url string, err error)

// Queue holds exports. Its methods are safe for concurrent use.
type Queue struct {
	render Renderer

	mu     sync.Mutex
	ready  *sync.Cond
	last   int
	order  []int
	byID   map[int]*Export
	closed bool
}

// New starts a queue with n workers.
func New(ctx context.Context, n int, render Renderer) *Queue {
	q := &Queue{render: render, byID: make(map[int]*Export)}
	q.ready = sync.NewCond(&q.mu)
	context.AfterFunc(ctx, func() {
		q.mu.Lock()
		q.closed = true
		q.mu.Unlock()
		q.ready.Broadcast()
	})
	for range n {
		go q.work(ctx)
	}
	return q
}

// Request queues an export and returns its number. An export that is requested
// when the queue is shutting down stays queued.
func (q *Queue) Request(customer string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	q.byID[q.last] = &Export{ID: q.last, Customer: customer}
	q.order = append(q.order, q.last)
	q.ready.Signal()
	return q.last
}

// Get returns the state of an export.
func (q *Queue) Get(id int) (Export, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.byID[id]
	if !ok {
		return Export{}, ErrUnknown
	}
	return *e, nil
}

// Cancel withdraws an export that has not been started.
func (q *Queue) Cancel(id int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.byID[id]
	if !ok {
		return ErrUnknown
	}
	if e.Phase != Queued {
		return ErrStarted
	}
	e.Phase, e.Ended = Cancelled, time.Now()
	return nil
}

// Purge forgets the exports that ended before t.
func (q *Queue) Purge(t time.Time) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for id, e := range q.byID {
		if e.Phase > Running && e.Ended.Before(t) {
			delete(q.byID, id)
			n++
		}
	}
	return n
}

func (q *Queue) work(ctx context.Context) {
	for {
		id, customer, ok := q.start()
		if !ok {
			return
		}
		url, err := q.run(ctx, customer)
		q.end(id, url, err)
	}
}

// run renders an export; a renderer that panics has failed.
func (q *Queue) run(ctx context.Context, customer string) (url string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("exports: %v", r)
		}
	}()
	return q.render(ctx, customer)
}

// start waits for a queued export and marks it as running.
func (q *Queue) start() (id int, customer string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		if len(q.order) == 0 {
			q.ready.Wait()
			continue
		}
		id, q.order = q.order[0], q.order[1:]
		e, known := q.byID[id]
		if !known || e.Phase != Queued {
			continue
		}
		e.Phase = Running
		return id, e.Customer, true
	}
	return 0, "", false
}

// end records the outcome of a running export.
func (q *Queue) end(id int, url string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[id]
	e.Ended = time.Now()
	if err != nil {
		e.Phase, e.Error = Failed, err.Error()
		return
	}
	e.Phase, e.URL = Finished, url
}
