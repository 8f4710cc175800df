package a

import (
	"context"
	"sync"
	"time"
)

type SyncType int

const (
	SyncUpdate SyncType = iota
	SyncKill
)

type podUpdate struct {
	kind    SyncType
	spec    string
	attempt int
}

// podWorker is the goroutine of one pod. Its updates channel holds the latest
// update only; the sync of the pod is done by the goroutine alone.
type podWorker struct {
	uid     string
	updates chan podUpdate
	done    chan struct{}

	// phase is written by the goroutine of the worker and read by the status
	// manager.
	mu    sync.Mutex
	phase string
	syncs int
}

func (w *podWorker) status() (string, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.phase, w.syncs
}

func (w *podWorker) setPhase(phase string, syncs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase, w.syncs = phase, syncs
}

// loop syncs the pod until it has been killed.
func (w *podWorker) loop(ctx context.Context, syncFn func(context.Context, string, podUpdate) error) {
	defer close(w.done)
	for u := range w.updates {
		if u.kind == SyncKill {
			_, n := w.status()
			w.setPhase("Terminated", n)
			return
		}
		phase, n := w.status()
		if phase == "Pending" && n > 0 {
			u.attempt = n
		}
		err := syncFn(ctx, w.uid, u)
		if err != nil {
			w.setPhase("Pending", n+1)
			continue
		}
		w.setPhase("Running", n+1)
	}
}

// podWorkers starts and feeds the workers.
type podWorkers struct {
	syncFn func(context.Context, string, podUpdate) error

	mu      sync.Mutex
	workers map[string]*podWorker
}

func newPodWorkers(syncFn func(context.Context, string, podUpdate) error) *podWorkers {
	return &podWorkers{syncFn: syncFn, workers: make(map[string]*podWorker)}
}

// UpdatePod hands the latest spec to the worker of a pod. An update that has
// not been taken yet is replaced, but a kill stays: a pod that was killed does
// not come back under the same UID.
func (p *podWorkers) UpdatePod(ctx context.Context, uid string, u podUpdate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, ok := p.workers[uid]
	if !ok {
		w = &podWorker{uid: uid, updates: make(chan podUpdate, 1), done: make(chan struct{}), phase: "Pending"}
		p.workers[uid] = w
		go w.loop(ctx, p.syncFn)
	}
	select {
	case old := <-w.updates:
		if old.kind == SyncKill {
			u = old
		}
	default:
	}
	// Senders hold p.mu, so that the slot is free now.
	w.updates <- u
}

// Status returns the phase of a pod and how often it was synced.
func (p *podWorkers) Status(uid string) (string, int, bool) {
	p.mu.Lock()
	w, ok := p.workers[uid]
	p.mu.Unlock()
	if !ok {
		return "", 0, false
	}
	phase, n := w.status()
	return phase, n, true
}

// Forget drops workers that have ended. Housekeeping calls it when no source
// names their pods any more.
func (p *podWorkers) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for uid, w := range p.workers {
		select {
		case <-w.done:
			delete(p.workers, uid)
		default:
		}
	}
}

// WaitKilled waits a while for a pod that was told to end.
func (p *podWorkers) WaitKilled(uid string, d time.Duration) bool {
	p.mu.Lock()
	w, ok := p.workers[uid]
	p.mu.Unlock()
	if !ok {
		return true
	}
	select {
	case <-w.done:
		return true
	case <-time.After(d):
		return false
	}
}
