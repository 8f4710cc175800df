package raft

import "sync"

// queue passes proposals to the run loop.
type queue struct {
	ch chan struct{}

	mu  sync.Mutex
	lst []*Entry
}

func newQueue() *queue { return &queue{ch: make(chan struct{}, 1)} }

func (q *queue) push(e *Entry) {
	q.mu.Lock()
	q.lst = append(q.lst, e)
	q.mu.Unlock()
	select {
	case q.ch <- struct{}{}:
	default:
	}
}

func (q *queue) pop() *Entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lst) == 0 {
		return nil
	}
	e := q.lst[0]
	q.lst = q.lst[1:]
	return e
}

func (q *queue) drain() {
	q.mu.Lock()
	q.lst = nil
	q.mu.Unlock()
}
