package a

import (
	"sync"
	"sync/atomic"
	"time"
)

type ticket struct {
	subject  string
	deadline time.Time
	timer    *time.Timer
	breached bool
}

// Queue holds the open support tickets. A ticket whose deadline passes is
// breached: it is handed to the on-call team and stays there.
type Queue struct {
	escalate func(id, subject string)
	breaches atomic.Int64

	mu   sync.Mutex
	open map[string]*ticket
}

func NewQueue(escalate func(id, subject string)) *Queue {
	return &Queue{escalate: escalate, open: make(map[string]*ticket)}
}

// Open adds a ticket which must be answered within sla.
func (q *Queue) Open(id, subject string, sla time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, dup := q.open[id]; dup {
		return false
	}
	t := &ticket{subject: subject, deadline: time.Now().Add(sla)}
	t.timer = time.AfterFunc(sla, func() { q.expire(id) })
	q.open[id] = t
	return true
}

// Extend gives a ticket a new deadline, e.g. after a first answer. It reports
// false when the ticket is closed or breached already.
func (q *Queue) Extend(id string, sla time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, ok := q.open[id]
	if !ok || t.breached {
		return false
	}
	t.deadline = time.Now().Add(sla)
	t.timer.Reset(sla)
	return true
}

// Close removes the ticket.
func (q *Queue) Close(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, ok := q.open[id]
	if !ok {
		return false
	}
	t.timer.Stop()
	delete(q.open, id)
	return true
}

func (q *Queue) expire(id string) {
	q.mu.Lock()
	t, ok := q.open[id]
	if !ok || t.breached || time.Now().Before(t.deadline) {
		q.mu.Unlock()
		return
	}
	t.breached = true
	subject := t.subject
	q.mu.Unlock()

	q.breaches.Add(1)
	q.escalate(id, subject)
}

// Due lists the tickets which run out within d.
func (q *Queue) Due(d time.Duration) []string {
	limit := time.Now().Add(d)
	q.mu.Lock()
	defer q.mu.Unlock()
	var ids []string
	for id, t := range q.open {
		if !t.breached && t.deadline.Before(limit) {
			ids = append(ids, id)
		}
	}
	return ids
}
