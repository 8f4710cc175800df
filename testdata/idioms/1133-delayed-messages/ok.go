// Correct: due takes the messages out of the heap and the map in one section.
// From then on a message belongs to the goroutine that took it alone: nobody
// can find it until requeue puts it back, so its fields need no lock.

// Package ok delivers messages at a later time.
package ok

import (
	"container/heap"
	"sync"
	"time"
)

// Message is delivered at or after Due.
type Message struct {
	ID       uint64
	Body     []byte
	Due      time.Time
	Attempts int
	index    int
}

type byDue []*Message

func (h byDue) Len() int           { return len(h) }
func (h byDue) Less(i, j int) bool { return h[i].Due.Before(h[j].Due) }
func (h byDue) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *byDue) Push(x any) {
	m := x.(*Message)
	m.index = len(*h)
	*h = append(*h, m)
}
func (h *byDue) Pop() any {
	old := *h
	m := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return m
}

// Queue holds the messages that wait.
type Queue struct {
	mu    sync.Mutex
	order byDue
	byID  map[uint64]*Message
	last  uint64
}

func NewQueue() *Queue { return &Queue{byID: make(map[uint64]*Message)} }

func (q *Queue) insert(m *Message) {
	heap.Push(&q.order, m)
	q.byID[m.ID] = m
}

// Add takes a message in and gives it an id that is not used again.
func (q *Queue) Add(body []byte, due time.Time) uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	q.insert(&Message{ID: q.last, Body: body, Due: due})
	return q.last
}

// Cancel returns false if the message is gone or on its way.
func (q *Queue) Cancel(id uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	m, ok := q.byID[id]
	if !ok {
		return false
	}
	heap.Remove(&q.order, m.index)
	delete(q.byID, id)
	return true
}

func (q *Queue) due(now time.Time) []*Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []*Message
	for len(q.order) > 0 && !q.order[0].Due.After(now) {
		m := heap.Pop(&q.order).(*Message)
		delete(q.byID, m.ID)
		out = append(out, m)
	}
	return out
}

func (q *Queue) requeue(m *Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.insert(m)
}

// Deliver sends what is due; what fails is tried again later, up to five
// times. Several workers may call it.
func (q *Queue) Deliver(now time.Time, send func(Message) error) (sent int) {
	for _, m := range q.due(now) {
		if send(*m) == nil {
			sent++
			continue
		}
		m.Attempts++
		if m.Attempts >= 5 {
			continue
		}
		m.Due = now.Add(time.Second << m.Attempts)
		q.requeue(m)
	}
	return sent
}

// Len is the number of waiting messages.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.order)
}
