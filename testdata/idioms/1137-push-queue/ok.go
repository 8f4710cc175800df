// Package pushqueue sends configuration to connected proxies.
//
// Correct: a connection that was taken from the queue is marked as busy in the
// same critical section, so that no other worker takes it while the push runs
// without the lock; what is enqueued meanwhile is merged into the busy entry
// and queued again by done, and nothing is lost in the window.
package pushqueue

import (
	"maps"
	"sync"
)

type Request struct {
	Full   bool
	Topics map[string]bool
}

// merge makes a new request; requests themselves are never changed.
func (r *Request) merge(o *Request) *Request {
	if r == nil {
		return o
	}
	topics := maps.Clone(r.Topics)
	if topics == nil {
		topics = make(map[string]bool)
	}
	maps.Copy(topics, o.Topics)
	return &Request{Full: r.Full || o.Full, Topics: topics}
}

type Pusher interface {
	Push(conn string, req *Request) error
}

type Queue struct {
	mu      sync.Mutex
	cond    *sync.Cond
	pending map[string]*Request
	order   []string
	busy    map[string]*Request // nil: nothing came in meanwhile
	closed  bool
}

func New() *Queue {
	q := &Queue{pending: make(map[string]*Request), busy: make(map[string]*Request)}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *Queue) Enqueue(conn string, req *Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if later, ok := q.busy[conn]; ok {
		q.busy[conn] = later.merge(req)
		return
	}
	q.add(conn, req)
}

func (q *Queue) add(conn string, req *Request) {
	if p, ok := q.pending[conn]; ok {
		q.pending[conn] = p.merge(req)
		return
	}
	q.pending[conn] = req
	q.order = append(q.order, conn)
	q.cond.Signal()
}

func (q *Queue) next() (conn string, req *Request, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 && !q.closed {
		q.cond.Wait()
	}
	if q.closed {
		return "", nil, false
	}
	conn, q.order = q.order[0], q.order[1:]
	req = q.pending[conn]
	delete(q.pending, conn)
	q.busy[conn] = nil
	return conn, req, true
}

func (q *Queue) done(conn string, failed *Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	later := q.busy[conn]
	delete(q.busy, conn)
	if failed != nil {
		q.add(conn, failed)
	}
	if later != nil {
		q.add(conn, later)
	}
}

// Work is the loop of one of several workers.
func (q *Queue) Work(p Pusher) {
	for {
		conn, req, ok := q.next()
		if !ok {
			return
		}
		if err := p.Push(conn, req); err != nil {
			q.done(conn, req)
			continue
		}
		q.done(conn, nil)
	}
}

func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}
