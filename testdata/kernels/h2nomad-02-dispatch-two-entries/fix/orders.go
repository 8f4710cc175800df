// Package orders keeps orders and the tasks that work on them in a store that
// is changed through a log.
package orders

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"
)

// ErrNoTemplate is returned when an order is derived from an unknown template.
var ErrNoTemplate = errors.New("unknown template")

// Order is something to be done.
type Order struct {
	ID       string
	Template bool // never worked on, only derived from
	Payload  []byte
	Created  uint64
}

// Task asks a worker to plan an order. An order without open task that has no
// part under way is finished.
type Task struct {
	ID      string
	OrderID string
	Open    bool
	Created uint64
}

// The entries of the log.
type (
	putOrder struct {
		order *Order
		task  *Task // may be nil
	}
	putTask  struct{ task *Task }
	setParts struct {
		orderID string
		n       int
	}
	dropOrders struct{ ids []string }
)

// Store is the state the entries lead to. Its elements are not changed in
// place.
type Store struct {
	mu     sync.RWMutex
	orders map[string]*Order
	tasks  map[string]*Task
	parts  map[string]int // parts under way, by order
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		orders: make(map[string]*Order),
		tasks:  make(map[string]*Task),
		parts:  make(map[string]int),
	}
}

// Order returns the order with the given id, or nil.
func (s *Store) Order(id string) *Order {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.orders[id]
}

func (s *Store) finishedLocked(o *Order) bool {
	if o.Template || s.parts[o.ID] > 0 {
		return false
	}
	for _, t := range s.tasks {
		if t.OrderID == o.ID && t.Open {
			return false
		}
	}
	return true
}

// Finished returns the orders with nothing left to do.
func (s *Store) Finished() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []string
	for id, o := range s.orders {
		if s.finishedLocked(o) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Store) apply(index uint64, e any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case putOrder:
		o := *e.order
		o.Created = index
		s.orders[o.ID] = &o
		if e.task != nil {
			s.putTaskLocked(index, e.task)
		}
	case putTask:
		if s.orders[e.task.OrderID] == nil {
			return fmt.Errorf("task %s: order %s does not exist", e.task.ID, e.task.OrderID)
		}
		s.putTaskLocked(index, e.task)
	case setParts:
		s.parts[e.orderID] = e.n
	case dropOrders:
		for _, id := range e.ids {
			// The list was made earlier.
			if o := s.orders[id]; o != nil && s.finishedLocked(o) {
				delete(s.orders, id)
				delete(s.parts, id)
				maps.DeleteFunc(s.tasks, func(_ string, t *Task) bool { return t.OrderID == id })
			}
		}
	default:
		return fmt.Errorf("unknown entry %T", e)
	}
	return nil
}

func (s *Store) putTaskLocked(index uint64, t *Task) {
	c := *t
	c.Created = index
	s.tasks[c.ID] = &c
}

// Log numbers the entries and applies them in order.
type Log struct {
	mu     sync.Mutex
	index  uint64
	closed bool
	store  *Store
}

// NewLog returns a log that changes s.
func NewLog(s *Store) *Log { return &Log{store: s} }

// Append adds an entry and returns its index once it has been applied.
func (l *Log) Append(e any) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errors.New("log is closed")
	}
	l.index++
	return l.index, l.store.apply(l.index, e)
}

// Close makes all further calls of Append fail.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// Sweep drops finished orders from time to time, until ctx is done.
func Sweep(ctx context.Context, s *Store, l *Log, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		ids := s.Finished()
		if len(ids) == 0 {
			continue
		}
		if _, err := l.Append(dropOrders{ids}); err != nil {
			return err
		}
	}
}

// Desk takes orders.
type Desk struct {
	store *Store
	log   *Log
	newID func() string
}

// NewDesk returns a desk. newID returns a fresh id with each call.
func NewDesk(s *Store, l *Log, newID func() string) *Desk {
	return &Desk{store: s, log: l, newID: newID}
}

// Receipt tells where an order was stored.
type Receipt struct {
	OrderID string
	TaskID  string
	Index   uint64
}

// Place stores an order, together with its first task.
func (d *Desk) Place(o Order) (Receipt, error) {
	var t *Task
	if !o.Template {
		t = &Task{ID: d.newID(), OrderID: o.ID, Open: true}
	}
	index, err := d.log.Append(putOrder{&o, t})
	if err != nil {
		return Receipt{}, err
	}
	r := Receipt{OrderID: o.ID, Index: index}
	if t != nil {
		r.TaskID = t.ID
	}
	return r, nil
}

// Derive makes an order from a template. The template is not changed.
func (d *Desk) Derive(template string, payload []byte) (Receipt, error) {
	tpl := d.store.Order(template)
	if tpl == nil || !tpl.Template {
		return Receipt{}, ErrNoTemplate
	}
	o := *tpl
	o.ID = template + "/" + d.newID()
	o.Template = false
	o.Payload = payload

	t := &Task{ID: d.newID(), OrderID: o.ID, Open: true}
	index, err := d.log.Append(putOrder{&o, t})
	if err != nil {
		return Receipt{}, fmt.Errorf("store order: %w", err)
	}
	return Receipt{OrderID: o.ID, TaskID: t.ID, Index: index}, nil
}

// CloseTask ends a task and notes how many parts it has put under way.
func (d *Desk) CloseTask(t Task, parts int) error {
	if _, err := d.log.Append(setParts{t.OrderID, parts}); err != nil {
		return err
	}
	t.Open = false
	_, err := d.log.Append(putTask{&t})
	return err
}
