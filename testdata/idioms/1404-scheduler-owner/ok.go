// Package cron runs one task at growing or shrinking intervals.
package cron

import (
	"context"
	"sync"
	"time"
)

type Status struct {
	Interval time.Duration
	Runs     int
	Failures int
	LastErr  error
}

// board is what the outside may see of the schedule.
type board struct {
	mu sync.RWMutex
	st Status
}

func (b *board) get() Status {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.st
}

func (b *board) set(st Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.st = st
}

type Scheduler struct {
	board  board
	base   time.Duration
	task   func(context.Context) error
	poke   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

func Start(base time.Duration, task func(context.Context) error) *Scheduler {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Scheduler{
		base:   base,
		task:   task,
		poke:   make(chan struct{}, 1),
		cancel: cancel,
		done:   make(chan struct{}),
	}
	s.board.set(Status{Interval: base})
	go s.run(ctx)
	return s
}

func (s *Scheduler) run(ctx context.Context) {
	defer close(s.done)
	timer := time.NewTimer(s.base)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.poke:
		}
		s.once(ctx)
		timer.Reset(s.board.get().Interval)
	}
}

func (s *Scheduler) once(ctx context.Context) {
	err := s.task(ctx)
	st := s.board.get()
	st.Runs++
	st.LastErr = err
	if err != nil {
		st.Failures++
		st.Interval = min(2*st.Interval, 64*s.base)
	} else {
		st.Interval = max(st.Interval/2, s.base)
	}
	s.board.set(st)
}

// RunNow asks for a run without waiting for the timer.
func (s *Scheduler) RunNow() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

func (s *Scheduler) Status() Status { return s.board.get() }

func (s *Scheduler) Stop() {
	s.cancel()
	<-s.done
}
