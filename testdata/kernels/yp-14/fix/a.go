package a

import (
	"fmt"
	"log"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Task is a mail that is due at some time.
type Task struct {
	ID   string
	Addr string
	Body string
}

// Sender delivers one mail.
type Sender interface {
	Send(t Task) error
}

// Queue delays tasks and hands the due ones to its workers.
type Queue struct {
	sender Sender
	wg     sync.WaitGroup

	mu      sync.Mutex
	due     []Task
	notify  *sync.Cond
	stopped atomic.Bool
}

// NewQueue starts the workers.
func NewQueue(sender Sender, workers int) *Queue {
	q := &Queue{sender: sender}
	q.notify = sync.NewCond(&q.mu)
	for range workers {
		q.wg.Add(1)
		go q.work()
	}
	return q
}

// After makes t due in d.
func (q *Queue) After(d time.Duration, t Task) bool {
	if q.stopped.Load() {
		return false
	}
	time.AfterFunc(d, func() { q.push(t) })
	return true
}

func (q *Queue) push(t Task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped.Load() {
		log.Printf("queue stopped, mail %s not sent", t.ID)
		return
	}
	q.due = append(q.due, t)
	q.notify.Signal()
}

func (q *Queue) next() (Task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.due) == 0 {
		if q.stopped.Load() {
			return Task{}, false
		}
		q.notify.Wait()
	}
	t := q.due[0]
	q.due = q.due[1:]
	return t, true
}

func (q *Queue) work() {
	defer q.wg.Done()
	for {
		t, ok := q.next()
		if !ok {
			return
		}
		if err := q.sender.Send(t); err != nil {
			log.Printf("mail %s to %s: %v", t.ID, t.Addr, err)
		}
	}
}

// Pending is the number of due mails that no worker has taken.
func (q *Queue) Pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.due)
}

// Stop lets the workers send what is due and waits for them.
func (q *Queue) Stop() {
	q.mu.Lock()
	first := q.stopped.CompareAndSwap(false, true)
	q.mu.Unlock()
	if !first {
		return
	}
	q.notify.Broadcast()
	q.wg.Wait()
}

// ServeHTTP accepts mails from the other services.
func (q *Queue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secs, err := strconv.Atoi(r.FormValue("delay"))
	if err != nil || secs < 0 {
		http.Error(w, "bad delay", http.StatusBadRequest)
		return
	}
	t := Task{
		ID:   r.FormValue("id"),
		Addr: r.FormValue("addr"),
		Body: r.FormValue("body"),
	}
	if !q.After(time.Duration(secs)*time.Second, t) {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "queued", t.ID, "behind", q.Pending())
}
