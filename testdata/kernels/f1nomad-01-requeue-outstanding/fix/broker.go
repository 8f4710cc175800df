// Package fix hands jobs to schedulers and parks those without capacity.
package fix

import (
	"errors"
	"fmt"
	"sync"
)

var errToken = errors.New("token does not match")

// Task is one request to place a job.
type Task struct {
	ID        string
	JobID     string
	SeenIndex uint64
}

type delivery struct {
	task  *Task
	token string
}

// Broker delivers each task to one worker at a time.
type Broker struct {
	mu      sync.Mutex
	nextTok uint64
	known   map[string]int
	ready   []*Task
	unack   map[string]*delivery
	requeue map[string]*Task
	limit   int
}

// NewBroker returns an empty broker.
func NewBroker(limit int) *Broker {
	return &Broker{known: make(map[string]int), unack: make(map[string]*delivery), requeue: make(map[string]*Task), limit: limit}
}

// Enqueue adds a task once.
func (b *Broker) Enqueue(t *Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.admit(t)
}

func (b *Broker) admit(t *Task) {
	if _, ok := b.known[t.ID]; ok {
		if d := b.unack[t.ID]; d != nil {
			b.requeue[d.token] = t
		}
		return
	}
	b.known[t.ID] = 0
	b.ready = append(b.ready, t)
}

// Dequeue returns the next task and its token.
func (b *Broker) Dequeue() (*Task, string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil, "", false
	}
	t := b.ready[0]
	b.ready = b.ready[1:]
	b.nextTok++
	token := fmt.Sprintf("%s-%d", t.ID, b.nextTok)
	b.unack[t.ID] = &delivery{t, token}
	b.known[t.ID]++
	return t, token, true
}

// Ack tells that a task was handled.
func (b *Broker) Ack(id, token string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer delete(b.requeue, token)
	d, ok := b.unack[id]
	if !ok || d.token != token {
		return errToken
	}
	delete(b.unack, id)
	delete(b.known, id)
	if t, ok := b.requeue[token]; ok {
		b.admit(t)
	}
	return nil
}

// Nack gives a task back.
func (b *Broker) Nack(id, token string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.requeue, token)
	d, ok := b.unack[id]
	if !ok || d.token != token {
		return errToken
	}
	delete(b.unack, id)
	if b.known[id] >= b.limit {
		delete(b.known, id)
		return nil
	}
	b.ready = append(b.ready, d.task)
	return nil
}

// Parking holds tasks until capacity changes.
type Parking struct {
	broker *Broker

	mu        sync.Mutex
	parked    map[string]*Task
	lastIndex uint64
}

// NewParking returns an empty parking.
func NewParking(b *Broker) *Parking {
	return &Parking{broker: b, parked: make(map[string]*Task)}
}

// Park holds a task. A task that was planned before the last change of
// capacity goes back at once.
func (p *Parking) Park(t *Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.parked[t.ID]; ok {
		return
	}
	if t.SeenIndex < p.lastIndex {
		p.broker.Enqueue(t)
		return
	}
	p.parked[t.ID] = t
}

// Unpark is called when capacity has changed.
func (p *Parking) Unpark(index uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastIndex = max(p.lastIndex, index)
	for id, t := range p.parked {
		delete(p.parked, id)
		p.broker.Enqueue(t)
	}
}

// Planner tries to place a task against the state of an index.
type Planner interface {
	Index() uint64
	Place(t *Task) (bool, error)
}

// Worker handles tasks.
type Worker struct {
	broker  *Broker
	parking *Parking
	planner Planner
}

// Step handles one task and reports whether there was one.
func (w *Worker) Step() bool {
	t, token, ok := w.broker.Dequeue()
	if !ok {
		return false
	}
	c := *t
	c.SeenIndex = w.planner.Index()
	placed, err := w.planner.Place(&c)
	if err != nil {
		w.broker.Nack(t.ID, token)
		return true
	}
	if !placed {
		w.parking.Park(&c)
	}
	w.broker.Ack(t.ID, token)
	return true
}
