// Package ok is a pool of numbered jobs per sender.
package ok

import (
	"errors"
	"sort"
	"sync"
)

var (
	errKnown = errors.New("job is known")
	errLow   = errors.New("number too low")
)

// Job is immutable.
type Job struct {
	Sender string
	Num    uint64
	Data   string
}

type sender struct {
	next    uint64
	waiting map[uint64]*Job
}

// Pool is safe for concurrent use.
type Pool struct {
	mu      sync.RWMutex
	senders map[string]*sender
	ready   map[string][]*Job

	promoteC chan string
	quit     chan struct{}
	wg       sync.WaitGroup
	announce func([]*Job)
}

// New starts a pool.
func New(announce func([]*Job)) *Pool {
	p := &Pool{
		senders:  make(map[string]*sender),
		ready:    make(map[string][]*Job),
		promoteC: make(chan string),
		quit:     make(chan struct{}),
		announce: announce,
	}
	p.wg.Add(1)
	go p.loop()
	return p
}

// Add puts a job into the pool.
func (p *Pool) Add(j *Job) error {
	if err := p.enqueue(j); err != nil {
		return err
	}
	select {
	case p.promoteC <- j.Sender:
	case <-p.quit:
	}
	return nil
}

func (p *Pool) enqueue(j *Job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.senders[j.Sender]
	if s == nil {
		s = &sender{waiting: make(map[uint64]*Job)}
		p.senders[j.Sender] = s
	}
	if j.Num < s.next {
		return errLow
	}
	if s.waiting[j.Num] != nil {
		return errKnown
	}
	s.waiting[j.Num] = j
	return nil
}

// loop starts runs, one at a time, and collects what the next one has to do.
func (p *Pool) loop() {
	defer p.wg.Done()
	var (
		done  chan struct{}
		dirty = make(map[string]struct{})
	)
	for {
		if done == nil && len(dirty) > 0 {
			done = make(chan struct{})
			go p.run(done, dirty)
			dirty = make(map[string]struct{})
		}
		select {
		case name := <-p.promoteC:
			dirty[name] = struct{}{}
		case <-done:
			done = nil
		case <-p.quit:
			if done != nil {
				<-done
			}
			return
		}
	}
}

func (p *Pool) run(done chan struct{}, dirty map[string]struct{}) {
	defer close(done)

	p.mu.Lock()
	promoted := p.promote(dirty)
	p.mu.Unlock()

	events := make(map[string][]*Job)
	for _, j := range promoted {
		events[j.Sender] = append(events[j.Sender], j)
	}
	var out []*Job
	for _, js := range events {
		sort.Slice(js, func(a, b int) bool { return js[a].Num < js[b].Num })
		out = append(out, js...)
	}
	if len(out) > 0 {
		p.announce(out)
	}
}

// promote needs the lock.
func (p *Pool) promote(names map[string]struct{}) []*Job {
	var out []*Job
	for name := range names {
		s := p.senders[name]
		if s == nil {
			continue
		}
		for j := s.waiting[s.next]; j != nil; j = s.waiting[s.next] {
			delete(s.waiting, s.next)
			s.next++
			p.ready[name] = append(p.ready[name], j)
			out = append(out, j)
		}
	}
	return out
}

// Take removes and returns the jobs of a sender that are ready.
func (p *Pool) Take(name string) []*Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	js := p.ready[name]
	delete(p.ready, name)
	return js
}

// Stats counts jobs.
func (p *Pool) Stats() (ready, waiting int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, js := range p.ready {
		ready += len(js)
	}
	for _, s := range p.senders {
		waiting += len(s.waiting)
	}
	return ready, waiting
}

// Close stops the pool.
func (p *Pool) Close() {
	close(p.quit)
	p.wg.Wait()
}
