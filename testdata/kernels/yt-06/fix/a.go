// Package spool feeds print jobs to a handful of printers.
package spool

import (
	"container/list"
	"context"
	"errors"
	"io"
	"log"
	"sync"
	"time"
)

var ErrQueueFull = errors.New("spool: queue is full")

type Job struct {
	ID    string
	Owner string
	Pages int
	Data  io.Reader
}

// Device is the wire to one printer.
type Device interface {
	Name() string
	Print(ctx context.Context, j *Job) error
}

type Spool struct {
	limit int

	mu     sync.Mutex
	jobs   *list.List               // of *Job
	parked map[string]chan struct{} // printers without work
	pages  map[string]int           // per owner, for accounting
}

func New(limit int) *Spool {
	return &Spool{
		limit:  limit,
		jobs:   list.New(),
		parked: make(map[string]chan struct{}),
		pages:  make(map[string]int),
	}
}

// Submit appends the job and wakes one printer if there is one without work.
func (s *Spool) Submit(j *Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs.Len() >= s.limit {
		return ErrQueueFull
	}
	s.jobs.PushBack(j)
	s.wakeOne()
	return nil
}

// wakeOne needs mu.
func (s *Spool) wakeOne() {
	for name, wake := range s.parked {
		delete(s.parked, name)
		close(wake)
		return
	}
}

// next takes the oldest job. If there is none, the printer is parked and its wake-up
// channel is returned.
func (s *Spool) next(name string) (*Job, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	front := s.jobs.Front()
	if front == nil {
		return nil, s.park(name)
	}
	return s.jobs.Remove(front).(*Job), nil
}

// park registers the printer for the next wake-up; it needs mu.
func (s *Spool) park(name string) <-chan struct{} {
	wake := make(chan struct{})
	s.parked[name] = wake
	return wake
}

// unpark is for a printer that gives up waiting. A wake-up that was already on its
// way is passed on.
func (s *Spool) unpark(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.parked[name]; ok {
		delete(s.parked, name)
		return
	}
	if s.jobs.Len() > 0 {
		s.wakeOne()
	}
}

func (s *Spool) account(j *Job) {
	s.mu.Lock()
	s.pages[j.Owner] += j.Pages
	s.mu.Unlock()
}

func (s *Spool) Pages(owner string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages[owner]
}

type printer struct {
	spool *Spool
	dev   Device
}

func (p *printer) loop(ctx context.Context) {
	for ctx.Err() == nil {
		j, wake := p.spool.next(p.dev.Name())
		if j == nil {
			select {
			case <-wake:
			case <-ctx.Done():
				p.spool.unpark(p.dev.Name())
				return
			}
			continue
		}
		p.run(ctx, j)
	}
}

func (p *printer) run(ctx context.Context, j *Job) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+time.Duration(j.Pages)*5*time.Second)
	defer cancel()
	if err := p.dev.Print(ctx, j); err != nil {
		log.Printf("spool: %s on %s: %v", j.ID, p.dev.Name(), err)
		return
	}
	p.spool.account(j)
}

// Serve runs one goroutine for each device until ctx is done.
func (s *Spool) Serve(ctx context.Context, devs ...Device) {
	var wg sync.WaitGroup
	for _, d := range devs {
		p := &printer{spool: s, dev: d}
		wg.Go(func() { p.loop(ctx) })
	}
	wg.Wait()
}
