package scheduler

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Stats tells how long a collection took.
type Stats struct{ Elapsed time.Duration }

type collector interface {
	GarbageCollect(context.Context) (Stats, error)
}

type triggerEvent struct {
	ts time.Time
}

type gcScheduler struct {
	c collector

	eventC chan triggerEvent

	waiterL sync.Mutex
	waiters []chan Stats

	scheduleDelay time.Duration
	interval      time.Duration
}

func newScheduler(c collector, delay, interval time.Duration) *gcScheduler {
	return &gcScheduler{c: c, eventC: make(chan triggerEvent), scheduleDelay: delay, interval: interval}
}

// ScheduleAndWait triggers a collection and waits for one that has begun after the call.
func (s *gcScheduler) ScheduleAndWait(ctx context.Context) (Stats, error) {
	return s.wait(ctx, true)
}

// WaitNext waits for the next collection, whenever that is.
func (s *gcScheduler) WaitNext(ctx context.Context) (Stats, error) {
	return s.wait(ctx, false)
}

func (s *gcScheduler) wait(ctx context.Context, trigger bool) (Stats, error) {
	wc := make(chan Stats, 1)
	s.waiterL.Lock()
	s.waiters = append(s.waiters, wc)
	s.waiterL.Unlock()

	if trigger {
		e := triggerEvent{
			ts: time.Now(),
		}
		go func() {
			s.eventC <- e
		}()
	}

	select {
	case stats, ok := <-wc:
		if !ok {
			return Stats{}, errors.New("gc failed")
		}
		return stats, nil
	case <-ctx.Done():
		return Stats{}, ctx.Err()
	}
}

func schedule(d time.Duration) (<-chan time.Time, *time.Time) {
	next := time.Now().Add(d)
	return time.After(d), &next
}

func (s *gcScheduler) run(ctx context.Context) {
	var (
		schedC <-chan time.Time

		lastCollection *time.Time
		nextCollection *time.Time

		triggered bool
	)
	for {
		select {
		case <-schedC:
			// Check if garbage collection can be skipped because
			// it was not requested.
			if !triggered && lastCollection != nil {
				schedC, nextCollection = schedule(s.interval)
				continue
			}
		case e := <-s.eventC:
			if lastCollection != nil && lastCollection.After(e.ts) {
				continue
			}
			triggered = true

			// Check if not already scheduled before delay threshold
			if nextCollection == nil || nextCollection.After(time.Now().Add(s.scheduleDelay)) {
				schedC, nextCollection = schedule(s.scheduleDelay)
			}
			continue
		case <-ctx.Done():
			return
		}

		s.waiterL.Lock()

		stats, err := s.c.GarbageCollect(ctx)
		last := time.Now()
		lastCollection = &last
		if err != nil {
			schedC, nextCollection = schedule(s.scheduleDelay)
			for _, w := range s.waiters {
				close(w)
			}
			s.waiters = nil
			s.waiterL.Unlock()
			continue
		}
		triggered = false
		schedC, nextCollection = schedule(s.interval)

		for _, w := range s.waiters {
			w <- stats
		}
		s.waiters = nil
		s.waiterL.Unlock()
	}
}
