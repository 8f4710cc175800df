package shutdowns

import "sync"

// A Line is stopped by a function whose name begins as those of initializers do.
type Line struct {
	mu      sync.Mutex
	stopped bool
	jobs    []chan struct{}
}

func (l *Line) running() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.stopped
}

// Put adds a job after the others have been ended.
func (l *Line) Put(done chan struct{}) {
	if !l.running() {
		return
	}
	l.mu.Lock()
	l.jobs = append(l.jobs, done) // want `check-then-act: l.stopped was checked at line \d+, but l.mu was released when running returned and another goroutine may change it before this write of l.jobs`
	l.mu.Unlock()
}

// Stop ends all jobs.
func (l *Line) Stop() { l.initiateStop() }

func (l *Line) initiateStop() {
	l.mu.Lock()
	l.stopped = true
	for _, done := range l.jobs {
		close(done)
	}
	l.jobs = nil
	l.mu.Unlock()
}
