package a

import (
	"context"
	"errors"
	"log/slog"
)

var ErrNoJob = errors.New("spooler: no such job")

type State int

const (
	Queued State = iota
	Printed
	Cancelled
)

type job struct {
	title string
	pages int
	state State
	done  chan struct{}
}

type Spooler struct {
	sem  chan struct{} // guards jobs, next and the state of every job
	jobs map[int]*job
	next int
	log  *slog.Logger
}

func NewSpooler(log *slog.Logger) *Spooler {
	return &Spooler{sem: make(chan struct{}, 1), jobs: make(map[int]*job), log: log}
}

func (s *Spooler) acquire() { s.sem <- struct{}{} }
func (s *Spooler) release() { <-s.sem }

func (s *Spooler) Submit(title string, pages int) int {
	s.acquire()
	defer s.release()
	s.next++
	s.jobs[s.next] = &job{title: title, pages: pages, done: make(chan struct{})}
	return s.next
}

func (s *Spooler) settle(id int, st State) error {
	s.acquire()
	j, ok := s.jobs[id]
	if !ok || j.state != Queued {
		s.release()
		return ErrNoJob
	}
	s.release()

	s.log.Info("job settled", "id", id, "title", j.title, "state", int(st))

	s.acquire()
	defer s.release()
	j.state = st
	close(j.done)
	return nil
}

func (s *Spooler) Cancel(id int) error { return s.settle(id, Cancelled) }

// Printed is called by the driver after the last page.
func (s *Spooler) Printed(id int) error { return s.settle(id, Printed) }

func (s *Spooler) Wait(ctx context.Context, id int) (State, error) {
	s.acquire()
	j, ok := s.jobs[id]
	s.release()
	if !ok {
		return Queued, ErrNoJob
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		return Queued, ctx.Err()
	}
	s.acquire()
	defer s.release()
	return j.state, nil
}

func (s *Spooler) PagesQueued() int {
	s.acquire()
	defer s.release()
	n := 0
	for _, j := range s.jobs {
		if j.state == Queued {
			n += j.pages
		}
	}
	return n
}
