// Package ok sends queries to a cluster and collects the answers.
package ok

import (
	"errors"
	"log"
	"sync"
	"time"
)

var (
	errFull  = errors.New("dropping query answer, channel is full")
	errNoID  = errors.New("no query with this number")
	errClose = errors.New("query is closed")
)

// Answer is what one node has to say.
type Answer struct {
	ID      uint32
	From    string
	Payload []byte
}

// Query is a question that is open until its deadline.
type Query struct {
	ID       uint32
	deadline time.Time
	respCh   chan Answer

	mu        sync.Mutex
	closed    bool
	responses map[string]bool
}

// Responses is closed at the end of the query.
func (q *Query) Responses() <-chan Answer { return q.respCh }

// Finished reports whether the query has ended.
func (q *Query) Finished() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed || time.Now().After(q.deadline)
}

// Close ends the query. It may be called more than once.
func (q *Query) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.respCh)
	}
}

// deliver hands an answer over, once per node.
func (q *Query) deliver(a Answer) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClose
	}
	if q.responses[a.From] {
		return nil
	}
	select {
	case q.respCh <- a:
		q.responses[a.From] = true
		return nil
	default:
		return errFull
	}
}

// Agent asks and receives.
type Agent struct {
	broadcast func(id uint32, question []byte)

	mu      sync.RWMutex
	lastID  uint32
	queries map[uint32]*Query
}

// NewAgent handles the answers from in with several goroutines.
func NewAgent(in <-chan Answer, broadcast func(uint32, []byte)) *Agent {
	a := &Agent{broadcast: broadcast, queries: make(map[uint32]*Query)}
	for range 4 {
		go func() {
			for ans := range in {
				if err := a.handle(ans); err != nil {
					log.Printf("[WARN] answer of %s: %v", ans.From, err)
				}
			}
		}()
	}
	return a
}

// Ask sends a question to all nodes.
func (a *Agent) Ask(question []byte, timeout time.Duration) *Query {
	q := &Query{
		deadline:  time.Now().Add(timeout),
		respCh:    make(chan Answer, 64),
		responses: make(map[string]bool),
	}
	a.register(q, timeout)
	a.broadcast(q.ID, question)
	return q
}

func (a *Agent) register(q *Query, timeout time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastID++
	q.ID = a.lastID
	a.queries[q.ID] = q
	time.AfterFunc(timeout, func() {
		a.mu.Lock()
		delete(a.queries, q.ID)
		a.mu.Unlock()
		q.Close()
	})
}

func (a *Agent) handle(ans Answer) error {
	a.mu.RLock()
	q, ok := a.queries[ans.ID]
	a.mu.RUnlock()
	if !ok {
		return errNoID
	}

	// Skip the work if it is too late anyway.
	if q.Finished() {
		return nil
	}
	return q.deliver(ans)
}
