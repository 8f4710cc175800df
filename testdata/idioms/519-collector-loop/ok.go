// Package ok decides when garbage is collected.
package ok

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Stats of one collection.
type Stats struct{ Elapsed time.Duration }

// Store can be collected.
type Store interface {
	// OnChange registers a function that is called after each change.
	OnChange(func(deleted bool))
	Collect(context.Context) (Stats, error)
}

// Limits say how much may happen before a collection.
type Limits struct {
	Deletes int
	Changes int
	Delay   time.Duration
	Pause   float64 // part of the time that may be spent
}

type change struct {
	trigger bool
	deleted bool
}

// Scheduler runs collections in one goroutine.
type Scheduler struct {
	st     Store
	lim    Limits
	events chan change

	waitMu  sync.Mutex
	waiters []chan Stats
}

// NewScheduler returns a scheduler; Run makes it work.
func NewScheduler(st Store, lim Limits) *Scheduler {
	s := &Scheduler{st: st, lim: lim, events: make(chan change)}
	st.OnChange(s.changed)
	return s
}

func (s *Scheduler) changed(deleted bool) {
	// The caller holds the lock of the store, so do not wait here.
	go func() { s.events <- change{deleted: deleted} }()
}

// CollectNow asks for a collection and waits for one that began later.
func (s *Scheduler) CollectNow(ctx context.Context) (Stats, error) {
	ch := make(chan Stats, 1)
	s.waitMu.Lock()
	s.waiters = append(s.waiters, ch)
	s.waitMu.Unlock()

	select {
	case s.events <- change{trigger: true}:
	case <-ctx.Done():
		return Stats{}, ctx.Err()
	}
	select {
	case st, ok := <-ch:
		if !ok {
			return Stats{}, errors.New("collection failed")
		}
		return st, nil
	case <-ctx.Done():
		return Stats{}, ctx.Err()
	}
}

func (s *Scheduler) collect(ctx context.Context) (Stats, error) {
	s.waitMu.Lock()
	defer s.waitMu.Unlock()
	st, err := s.st.Collect(ctx)
	for _, ch := range s.waiters {
		if err == nil {
			ch <- st
		}
		close(ch)
	}
	s.waiters = nil
	return st, err
}

// Run works until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	var (
		timer   *time.Timer
		timerC  <-chan time.Time
		due     time.Time
		deletes int
		changes int
		pause   time.Duration
	)
	plan := func(d time.Duration) {
		at := time.Now().Add(d)
		if timer != nil {
			if due.Before(at) {
				return
			}
			timer.Stop()
		}
		due = at
		timer = time.NewTimer(d)
		timerC = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case ev := <-s.events:
			if ev.trigger {
				plan(0)
				continue
			}
			changes++
			if ev.deleted {
				deletes++
			}
			if (s.lim.Deletes > 0 && deletes >= s.lim.Deletes) || (s.lim.Changes > 0 && changes >= s.lim.Changes) {
				plan(max(s.lim.Delay, pause))
			}
			continue
		case <-timerC:
			timer, timerC = nil, nil
		}
		st, err := s.collect(ctx)
		if err != nil {
			plan(time.Minute)
			continue
		}
		deletes, changes = 0, 0
		if s.lim.Pause > 0 {
			pause = time.Duration(float64(st.Elapsed)/s.lim.Pause) - st.Elapsed
		}
	}
}
