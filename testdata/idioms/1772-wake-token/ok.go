// Package a brings the DNS records of a zone in line with what the services
// of a cluster want.
package a

import (
	"sync"
	"time"
)

// Syncer writes the records of one service. It reads what they should be when
// it is called.
type Syncer interface {
	Sync(service string) error
}

// Worker calls the syncer for the services that have changed. Several changes
// of a service before its turn are dealt with by one call.
type Worker struct {
	syncer Syncer
	retry  time.Duration
	wake   chan struct{} // holds a token when there may be dirty services
	done   chan struct{}
	wg     sync.WaitGroup

	mu      sync.Mutex
	dirty   map[string]struct{}
	stopped bool
	synced  int
	failed  int
}

// NewWorker starts a worker.
func NewWorker(s Syncer, retry time.Duration) *Worker {
	w := &Worker{
		syncer: s,
		retry:  retry,
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
		dirty:  make(map[string]struct{}),
	}
	w.wg.Add(1)
	go w.loop()
	return w
}

// Changed marks a service. It reports false once the worker has been stopped.
func (w *Worker) Changed(service string) bool {
	if !w.mark(service) {
		return false
	}
	select {
	case w.wake <- struct{}{}:
	default:
		// The token is there already; the worker takes it before it looks.
	}
	return true
}

func (w *Worker) mark(service string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return false
	}
	w.dirty[service] = struct{}{}
	return true
}

// next takes the dirty services.
func (w *Worker) next() map[string]struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch := w.dirty
	w.dirty = make(map[string]struct{})
	return batch
}

func (w *Worker) loop() {
	defer w.wg.Done()
	for {
		select {
		case <-w.done:
			return
		case <-w.wake:
		}
		for service := range w.next() {
			select {
			case <-w.done:
				return
			default:
			}
			w.syncOne(service)
		}
	}
}

// syncOne runs on the loop. A service that failed gets another turn later.
func (w *Worker) syncOne(service string) {
	err := w.syncer.Sync(service)
	w.count(err)
	if err != nil {
		time.AfterFunc(w.retry, func() { w.Changed(service) })
	}
}

func (w *Worker) count(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed++
		return
	}
	w.synced++
}

// Backlog returns the number of services that wait for their turn.
func (w *Worker) Backlog() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.dirty)
}

// Stats returns how many calls went well and how many did not.
func (w *Worker) Stats() (synced, failed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.synced, w.failed
}

// Stop ends the worker after the call that is under way. What is still dirty
// is dealt with by the full pass of the next start.
func (w *Worker) Stop() {
	w.mu.Lock()
	was := w.stopped
	w.stopped = true
	w.mu.Unlock()
	if !was {
		close(w.done)
	}
	w.wg.Wait()
}
