package a

import (
	"errors"
	"sync"
	"time"
)

var errClosed = errors.New("oom watchers closed")

// EventFunc is called with the container ID when an oom kill is seen.
type EventFunc func(cid string)

// cgroup reads the counters of one container's cgroup.
type cgroup struct {
	path string
	mu   sync.Mutex
	kill uint64
}

func (c *cgroup) oomKills() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kill
}

type watcher struct {
	cid    string
	cg     *cgroup
	fn     EventFunc
	done   chan struct{}
	exited chan struct{}
}

func newWatcher(cid string, cg *cgroup, fn EventFunc) *watcher {
	return &watcher{
		cid:    cid,
		cg:     cg,
		fn:     fn,
		done:   make(chan struct{}),
		exited: make(chan struct{}),
	}
}

func (w *watcher) run(interval time.Duration) {
	defer close(w.exited)
	t := time.NewTicker(interval)
	defer t.Stop()
	var last uint64
	for {
		select {
		case <-w.done:
			return
		case <-t.C:
			if n := w.cg.oomKills(); n > last {
				last = n
				w.fn(w.cid)
			}
		}
	}
}

// stop ends the watcher and waits for it.
func (w *watcher) stop() error {
	close(w.done)
	<-w.exited
	return nil
}

type oomWatchers struct {
	mu       sync.Mutex
	watchers map[string]*watcher
	interval time.Duration
	closed   bool
}

func newOOMWatchers(interval time.Duration) *oomWatchers {
	return &oomWatchers{
		watchers: make(map[string]*watcher),
		interval: interval,
	}
}

// Add starts to watch the container's cgroup.
func (ows *oomWatchers) Add(cid string, cg *cgroup, fn EventFunc) error {
	ows.mu.Lock()
	defer ows.mu.Unlock()
	if ows.closed {
		return errClosed
	}
	if _, exist := ows.watchers[cid]; exist {
		// The init process may be reported more than once.
		return nil
	}
	w := newWatcher(cid, cg, fn)
	ows.watchers[cid] = w
	go w.run(ows.interval)
	return nil
}

// Stop ends the watcher of the container.
func (ows *oomWatchers) Stop(cid string) error {
	ows.mu.Lock()
	w := ows.watchers[cid]
	delete(ows.watchers, cid)
	ows.mu.Unlock()

	if w == nil {
		return nil
	}
	return w.stop()
}

// Len returns the number of watched containers.
func (ows *oomWatchers) Len() int {
	ows.mu.Lock()
	defer ows.mu.Unlock()
	return len(ows.watchers)
}

type taskService struct {
	oom *oomWatchers
}

// handleExit is called by the reaper when the init process is gone.
func (s *taskService) handleExit(cid string) {
	go s.oom.Stop(cid)
}

// Delete removes the task on behalf of the client.
func (s *taskService) Delete(cid string) error {
	return s.oom.Stop(cid)
}
