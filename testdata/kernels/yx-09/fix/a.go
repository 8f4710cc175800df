package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrUnknownWorker = errors.New("unknown worker")
	ErrNoCapacity    = errors.New("no worker has a free slot")
)

// Worker is the scheduler's view of one build machine.
type Worker struct {
	ID       string
	Slots    int
	Running  int
	Draining bool
	Load     float64
	LastSeen time.Time
}

func (w Worker) usable(now time.Time) bool {
	return !w.Draining && w.Running < w.Slots && now.Sub(w.LastSeen) < time.Minute
}

// Farm places builds on the machines.
type Farm struct {
	mu      sync.RWMutex
	workers map[string]Worker
}

func NewFarm() *Farm {
	return &Farm{workers: make(map[string]Worker)}
}

// Worker returns the record of a machine.
func (f *Farm) Worker(id string) (Worker, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	w, ok := f.workers[id]
	return w, ok
}

func (f *Farm) save(w Worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workers[w.ID] = w
}

// Register announces a freshly booted machine.
func (f *Farm) Register(id string, slots int) {
	f.save(Worker{ID: id, Slots: slots, LastSeen: time.Now()})
}

// Heartbeat is sent by every machine every few seconds.
func (f *Farm) Heartbeat(id string, load float64) error {
	ok := f.modify(id, func(w *Worker) {
		w.Load = load
		w.LastSeen = time.Now()
	})
	if !ok {
		return ErrUnknownWorker
	}
	return nil
}

// Place reserves a slot on the least loaded machine.
func (f *Farm) Place() (string, error) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	var best Worker
	for _, w := range f.workers {
		if w.usable(now) && (best.ID == "" || w.Load < best.Load) {
			best = w
		}
	}
	if best.ID == "" {
		return "", ErrNoCapacity
	}
	best.Running++
	f.workers[best.ID] = best
	return best.ID, nil
}

// Finished frees the slot of a build.
func (f *Farm) Finished(id string) {
	f.modify(id, func(w *Worker) {
		if w.Running > 0 {
			w.Running--
		}
	})
}

// Drain takes a machine out of service; running builds are let finish.
func (f *Farm) Drain(id string) {
	f.modify(id, func(w *Worker) { w.Draining = true })
}

func (f *Farm) modify(id string, change func(*Worker)) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, ok := f.workers[id]
	if ok {
		change(&w)
		f.workers[id] = w
	}
	return ok
}
