// Package ipqueue is a queue inside of a process.
package ipqueue

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

var errIPQLenLimitReached = errors.New("IPQ len limit reached")

// ipQueue is a generic intra-process queue.
type ipQueue[T any] struct {
	inprogress int64
	sync.Mutex
	ch   chan struct{}
	elts []T
	pos  int
	pool *sync.Pool
	mrs  int // Max recycle size
	mlen int // Limit by number of entries
}

func newIPQueue[T any](mrs, mlen int) *ipQueue[T] {
	return &ipQueue[T]{
		ch: make(chan struct{}, 1),
		pool: &sync.Pool{New: func() any {
			res := make([]T, 0, 32)
			return &res
		}},
		mrs:  mrs,
		mlen: mlen,
	}
}

// push adds the element to the queue, notifying the queue's `ch` channel if the
// entry is the first to be added, and returns the length of the queue after
// this element is added.
func (q *ipQueue[T]) push(e T) (int, error) {
	q.Lock()
	l := len(q.elts) - q.pos
	if q.mlen > 0 && l == q.mlen {
		q.Unlock()
		return l, errIPQLenLimitReached
	}
	if q.elts == nil {
		// What comes out of the pool is already of size 0, so no need for [:0].
		q.elts = *(q.pool.Get().(*[]T))
	}
	q.elts = append(q.elts, e)
	q.Unlock()
	if l == 0 {
		select {
		case q.ch <- struct{}{}:
		default:
		}
	}
	return l + 1, nil
}

// pop returns the whole list of elements currently present in the queue,
// emptying the queue. This should be called after receiving a notification
// from the queue's `ch` notification channel. The list has to be given to
// recycle when it has been processed.
func (q *ipQueue[T]) pop() []T {
	q.Lock()
	if len(q.elts)-q.pos == 0 {
		q.Unlock()
		return nil
	}
	elts := q.elts[q.pos:]
	q.elts, q.pos = nil, 0
	atomic.AddInt64(&q.inprogress, int64(len(elts)))
	q.Unlock()
	return elts
}

// popOne returns the first element from the queue, if any.
func (q *ipQueue[T]) popOne() (T, bool) {
	q.Lock()
	l := len(q.elts) - q.pos
	if l == 0 {
		q.Unlock()
		var empty T
		return empty, false
	}
	e := q.elts[q.pos]
	if l--; l > 0 {
		q.pos++
		// We need to re-signal
		select {
		case q.ch <- struct{}{}:
		default:
		}
	} else {
		// We have just emptied the queue, so we can reuse unless it is too big.
		if cap(q.elts) <= q.mrs {
			q.elts = q.elts[:0]
		} else {
			q.elts = nil
		}
		q.pos = 0
	}
	q.Unlock()
	return e, true
}

// recycle puts the list back, it must not be used afterwards.
func (q *ipQueue[T]) recycle(elts *[]T) {
	// If invoked with a nil list, nothing to do.
	if elts == nil || *elts == nil {
		return
	}
	// Update the in progress count.
	if len(*elts) > 0 {
		atomic.AddInt64(&q.inprogress, int64(-(len(*elts))))
	}
	// We also don't want to recycle huge slices, so check against the max.
	if cap(*elts) > q.mrs {
		return
	}
	(*elts) = (*elts)[:0]
	q.pool.Put(elts)
}

// len returns the current length of the queue.
func (q *ipQueue[T]) len() int {
	q.Lock()
	defer q.Unlock()
	return len(q.elts) - q.pos
}

func (q *ipQueue[T]) inProgress() int64 { return atomic.LoadInt64(&q.inprogress) }

type apiRequest struct {
	subject string
	reply   string
	msg     []byte
}

// apiServer handles requests of the API with a few workers.
type apiServer struct {
	reqs    *ipQueue[*apiRequest]
	handler func(*apiRequest) error
}

func newAPIServer(ctx context.Context, workers int, handler func(*apiRequest) error) *apiServer {
	s := &apiServer{reqs: newIPQueue[*apiRequest](4096, 10000), handler: handler}
	for range workers {
		go s.processRequests(ctx)
	}
	return s
}

func (s *apiServer) dispatch(r *apiRequest) error {
	pending, err := s.reqs.push(r)
	if err != nil {
		return err
	}
	if pending > 5000 {
		log.Printf("API queue has %d requests, %d in progress", pending, s.reqs.inProgress())
	}
	return nil
}

func (s *apiServer) processRequests(ctx context.Context) {
	for {
		select {
		case <-s.reqs.ch:
			reqs := s.reqs.pop()
			for _, r := range reqs {
				if err := s.handler(r); err != nil {
					log.Printf("API request %s: %v", r.subject, err)
				}
			}
			s.reqs.recycle(&reqs)
		case <-ctx.Done():
			return
		}
	}
}
