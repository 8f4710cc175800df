// Package runs merges the sorted runs that a memtable is flushed to.
package runs

import (
	"sync"
	"sync/atomic"
	"time"
)

// Run is an immutable sorted file.
type Run struct {
	Name string
	Rows int64
}

// Merger writes the rows of several runs, oldest first, to a new one.
type Merger interface {
	Merge(in []Run) (Run, error)
}

// List is the list of runs of one store, oldest first. Flushes append to it from
// any goroutine; the merge goroutine is the only one that takes runs out.
type List struct {
	merger  Merger
	limit   int
	onError func(error)

	backlog atomic.Int64 // length of runs, for those who do not hold mu
	kick    chan struct{}
	stop    chan struct{}
	ended   chan struct{}

	mu   sync.RWMutex
	runs []Run
}

// Open returns a list that is merged when it has limit runs (two or more).
func Open(m Merger, limit int, onError func(error)) *List {
	l := &List{
		merger:  m,
		limit:   max(limit, 2),
		onError: onError,
		kick:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	go l.loop()
	return l
}

// Add appends a flushed run and wakes the merge goroutine if there is work.
func (l *List) Add(r Run) {
	l.mu.Lock()
	l.runs = append(l.runs, r)
	l.backlog.Store(int64(len(l.runs)))
	l.mu.Unlock()

	if l.backlog.Load() >= int64(l.limit) {
		select {
		case l.kick <- struct{}{}:
		default: // it has been woken already
		}
	}
}

// Throttle slows a writer down while merging does not keep up.
func (l *List) Throttle() {
	over := l.backlog.Load() - 2*int64(l.limit)
	if over > 0 {
		time.Sleep(min(time.Duration(over)*time.Millisecond, 50*time.Millisecond))
	}
}

// Runs returns the present runs, oldest first.
func (l *List) Runs() []Run {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return append([]Run(nil), l.runs...)
}

func (l *List) loop() {
	defer close(l.ended)
	for {
		select {
		case <-l.stop:
			return
		case <-l.kick:
		}
		for l.mergeOnce() {
			select {
			case <-l.stop:
				return
			default:
			}
		}
	}
}

// mergeOnce merges the oldest runs if there are enough of them. Only loop calls
// it.
func (l *List) mergeOnce() bool {
	in := l.oldest()
	if in == nil {
		return false
	}
	out, err := l.merger.Merge(in)
	if err != nil {
		l.onError(err)
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append([]Run{out}, l.runs[len(in):]...)
	l.backlog.Store(int64(len(l.runs)))
	return true
}

func (l *List) oldest() []Run {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.runs) < l.limit {
		return nil
	}
	return append([]Run(nil), l.runs[:l.limit]...)
}

// Close waits for a merge that is running; it is to be called once.
func (l *List) Close() {
	close(l.stop)
	<-l.ended
}
