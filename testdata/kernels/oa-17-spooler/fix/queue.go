// Package spool queues documents for printers.
package spool

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// ErrNotQueued is returned for documents which are printed already or unknown.
var ErrNotQueued = errors.New("spool: not in queue")

// Document waits for paper.
type Document struct {
	ID     int64
	Owner  string
	Pages  int
	Urgent bool
}

// Queue is the list of one printer.
type Queue struct {
	printer string

	mu      sync.Mutex
	docs    []*Document
	nextID  int64
	wake    chan struct{}
	printed int
}

// NewQueue returns an empty queue.
func NewQueue(printer string) *Queue {
	return &Queue{printer: printer, wake: make(chan struct{}, 1)}
}

// Submit appends a document, or puts it before all which are not urgent.
func (q *Queue) Submit(owner string, pages int, urgent bool) int64 {
	q.mu.Lock()
	q.nextID++
	d := &Document{ID: q.nextID, Owner: owner, Pages: pages, Urgent: urgent}
	at := len(q.docs)
	if urgent {
		for at = 0; at < len(q.docs) && q.docs[at].Urgent; at++ {
		}
	}
	q.docs = append(q.docs, nil)
	copy(q.docs[at+1:], q.docs[at:])
	q.docs[at] = d
	q.mu.Unlock()

	select {
	case q.wake <- struct{}{}:
	default:
	}
	return d.ID
}

// position returns where a document is, -1 if it is not there. It is called with q.mu held.
func (q *Queue) position(id int64) int {
	for i, d := range q.docs {
		if d.ID == id {
			return i
		}
	}
	return -1
}

// removeAt is called with q.mu held.
func (q *Queue) removeAt(i int) {
	copy(q.docs[i:], q.docs[i+1:])
	q.docs[len(q.docs)-1] = nil
	q.docs = q.docs[:len(q.docs)-1]
}

// Cancel takes a document out of the queue.
func (q *Queue) Cancel(id int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.position(id)
	if i < 0 {
		return fmt.Errorf("%w: %d on %s", ErrNotQueued, id, q.printer)
	}
	q.removeAt(i)
	return nil
}

// take removes the head.
func (q *Queue) take() *Document {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.docs) == 0 {
		return nil
	}
	d := q.docs[0]
	q.docs[0] = nil
	q.docs = q.docs[1:]
	return d
}

// unget puts a document back after a jam.
func (q *Queue) unget(d *Document) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.docs = append([]*Document{d}, q.docs...)
}

// Device prints.
type Device interface {
	Print(ctx context.Context, d *Document) error
}

// Feed prints documents until ctx is done.
func (q *Queue) Feed(ctx context.Context, dev Device) {
	for {
		d := q.take()
		if d == nil {
			select {
			case <-ctx.Done():
				return
			case <-q.wake:
			}
			continue
		}
		if err := dev.Print(ctx, d); err != nil {
			log.Printf("spool: %s: document %d: %v", q.printer, d.ID, err)
			q.unget(d)
			select {
			case <-ctx.Done():
				return
			case <-time.After(5 * time.Second):
			}
			continue
		}
		q.mu.Lock()
		q.printed += d.Pages
		q.mu.Unlock()
	}
}

// Pending returns copies of what waits.
func (q *Queue) Pending() []Document {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]Document, 0, len(q.docs))
	for _, d := range q.docs {
		out = append(out, *d)
	}
	return out
}

// Estimate returns about how long a new document will wait.
func (q *Queue) Estimate(perPage time.Duration) time.Duration {
	pages := 0
	for _, d := range q.Pending() {
		pages += d.Pages
	}
	return time.Duration(pages) * perPage
}

// Printed returns the pages so far.
func (q *Queue) Printed() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.printed
}
