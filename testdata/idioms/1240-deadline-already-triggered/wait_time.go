package wait

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

type timeList struct {
	l                   sync.Mutex
	lastTriggerDeadline uint64
	m                   map[uint64]chan struct{}
}

func NewTimeList() *timeList {
	return &timeList{m: make(map[uint64]chan struct{})}
}

var closec chan struct{}

func init() { closec = make(chan struct{}); close(closec) }

// Wait returns a chan that waits on the given logical deadline.
// The chan will be triggered when Trigger is called with a
// deadline that is later than or equal to the one it is waiting for.
func (tl *timeList) Wait(deadline uint64) <-chan struct{} {
	tl.l.Lock()
	defer tl.l.Unlock()
	if tl.lastTriggerDeadline >= deadline {
		return closec
	}
	ch := tl.m[deadline]
	if ch == nil {
		ch = make(chan struct{})
		tl.m[deadline] = ch
	}
	return ch
}

// Trigger triggers all the waiting chans with an equal or earlier logical deadline.
func (tl *timeList) Trigger(deadline uint64) {
	tl.l.Lock()
	defer tl.l.Unlock()
	tl.lastTriggerDeadline = deadline
	for t, ch := range tl.m {
		if t <= deadline {
			delete(tl.m, t)
			close(ch)
		}
	}
}

var ErrStopped = errors.New("etcdserver: server stopped")

type server struct {
	committedIndex atomic.Uint64
	appliedIndex   atomic.Uint64
	applyWait      *timeList
	applyc         chan []func()
	stopping       chan struct{}
}

// run is the only goroutine that applies.
func (s *server) run() {
	for {
		select {
		case entries := <-s.applyc:
			for _, apply := range entries {
				apply()
			}
			s.appliedIndex.Store(s.appliedIndex.Load() + uint64(len(entries)))
			s.applyWait.Trigger(s.appliedIndex.Load())
		case <-s.stopping:
			return
		}
	}
}

// linearizableRead reads after everything is applied that was committed when it began.
func (s *server) linearizableRead(ctx context.Context, read func()) error {
	confirmed := s.committedIndex.Load()
	appliedIndex := s.appliedIndex.Load()
	if appliedIndex < confirmed {
		select {
		case <-s.applyWait.Wait(confirmed):
		case <-ctx.Done():
			return ctx.Err()
		case <-s.stopping:
			return ErrStopped
		}
	}
	read()
	return nil
}
