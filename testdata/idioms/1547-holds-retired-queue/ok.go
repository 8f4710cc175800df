package a

import (
	"container/list"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var ErrNotQueued = errors.New("holds: reader is not waiting")

type hold struct {
	reader string
	since  time.Time
}

// queue is the waiting list of one e-book.
type queue struct {
	mu      sync.Mutex
	waiting *list.List // of hold
	retired bool
}

func (q *queue) findLocked(reader string) *list.Element {
	for e := q.waiting.Front(); e != nil; e = e.Next() {
		if e.Value.(hold).reader == reader {
			return e
		}
	}
	return nil
}

// Holds keeps a waiting list for every e-book somebody waits for.
type Holds struct {
	mu     sync.Mutex
	queues map[string]*queue
}

func NewHolds() *Holds {
	return &Holds{queues: make(map[string]*queue)}
}

func (h *Holds) get(isbn string, create bool) *queue {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.queues[isbn]
	if q == nil && create {
		q = &queue{waiting: list.New()}
		h.queues[isbn] = q
	}
	return q
}

func (h *Holds) drop(isbn string, q *queue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queues[isbn] == q {
		delete(h.queues, isbn)
	}
}

// Place puts the reader on the waiting list and returns the position.
func (h *Holds) Place(isbn, reader string) int {
	for {
		q := h.get(isbn, true)
		q.mu.Lock()
		if q.retired {
			q.mu.Unlock()
			h.drop(isbn, q)
			continue
		}
		if q.findLocked(reader) == nil {
			q.waiting.PushBack(hold{reader: reader, since: time.Now()})
		}
		n := q.waiting.Len()
		q.mu.Unlock()
		return n
	}
}

// Cancel takes the reader off the list.
func (h *Holds) Cancel(isbn, reader string) error {
	q := h.get(isbn, false)
	if q == nil {
		return ErrNotQueued
	}
	q.mu.Lock()
	e := q.findLocked(reader)
	if e != nil {
		q.waiting.Remove(e)
	}
	empty := q.waiting.Len() == 0
	if empty {
		q.retired = true
	}
	q.mu.Unlock()

	if empty {
		h.drop(isbn, q)
	}
	if e == nil {
		return ErrNotQueued
	}
	return nil
}

// Next takes the reader who waited longest.
func (h *Holds) Next(isbn string) (reader string, ok bool) {
	q := h.get(isbn, false)
	if q == nil {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.waiting.Front()
	if e == nil {
		return "", false
	}
	return q.waiting.Remove(e).(hold).reader, true
}

func (h *Holds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isbn, reader := r.FormValue("isbn"), r.FormValue("reader")
	switch r.Method {
	case http.MethodPost:
		fmt.Fprintln(w, h.Place(isbn, reader))
	case http.MethodDelete:
		if err := h.Cancel(isbn, reader); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
		}
	}
}
