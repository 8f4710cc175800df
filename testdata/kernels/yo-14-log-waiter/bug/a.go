// Package rlog is the apply side of a replicated log.
package rlog

import (
	"context"
	"sync"
)

type Entry struct {
	Index uint64
	Cmd   []byte
}

type waiter struct {
	index uint64
	ready chan struct{}
}

type Log struct {
	apply   func(Entry)
	commits chan []Entry
	done    chan struct{}

	mu      sync.Mutex
	applied uint64
	waiters map[*waiter]struct{}
}

func Open(apply func(Entry)) *Log {
	l := &Log{
		apply:   apply,
		commits: make(chan []Entry, 16),
		done:    make(chan struct{}),
		waiters: make(map[*waiter]struct{}),
	}
	go l.run()
	return l
}

func (l *Log) run() {
	defer close(l.done)
	for batch := range l.commits {
		for _, e := range batch {
			l.apply(e)
			l.advance(e.Index)
		}
	}
}

// Commit is called by the consensus loop, in order; Close comes after.
func (l *Log) Commit(batch []Entry) { l.commits <- batch }

func (l *Log) Close() {
	close(l.commits)
	<-l.done
}

// advance notes that index is applied and wakes whoever waits for it.
func (l *Log) advance(index uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.applied = index
	for w := range l.waiters {
		if w.index <= index {
			close(w.ready)
			delete(l.waiters, w)
		}
	}
}

func (l *Log) Applied() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.applied
}

func (l *Log) enlist(index uint64) *waiter {
	w := &waiter{index: index, ready: make(chan struct{})}
	l.mu.Lock()
	l.waiters[w] = struct{}{}
	l.mu.Unlock()
	return w
}

func (l *Log) withdraw(w *waiter) {
	l.mu.Lock()
	delete(l.waiters, w)
	l.mu.Unlock()
}

// WaitApplied returns once index has been applied; linearizable reads use it.
func (l *Log) WaitApplied(ctx context.Context, index uint64) error {
	if l.Applied() >= index {
		return nil
	}
	w := l.enlist(index)
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		l.withdraw(w)
		return ctx.Err()
	}
}
