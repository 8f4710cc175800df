package leader

import (
	"context"
	"sync/atomic"
	"time"
)

// Scheduler applies items; a leader bounds how many it applies at a time.
type Scheduler struct {
	leading atomic.Bool
	slots   chan struct{}
	apply   func(ctx context.Context, item string) error
	done    atomic.Int64
}

func NewScheduler(width int, apply func(context.Context, string) error) *Scheduler {
	return &Scheduler{slots: make(chan struct{}, width), apply: apply}
}

// Elections follows the elections until the channel is closed.
func (s *Scheduler) Elections(won <-chan bool) {
	go func() {
		for w := range won {
			s.leading.Store(w)
		}
		s.leading.Store(false)
	}()
}

// Handle applies one item.
func (s *Scheduler) Handle(ctx context.Context, item string) error {
	lead := s.leading.Load()
	if lead {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := s.apply(ctx, item)
	if lead {
		<-s.slots
	}
	if err == nil {
		s.done.Add(1)
	}
	return err
}

// Run handles everything from items with one goroutine each.
func (s *Scheduler) Run(ctx context.Context, items <-chan string, failed func(string, error)) {
	for item := range items {
		go func() {
			if err := s.Handle(ctx, item); err != nil {
				failed(item, err)
			}
		}()
	}
}

func (s *Scheduler) Done() int64 { return s.done.Load() }
