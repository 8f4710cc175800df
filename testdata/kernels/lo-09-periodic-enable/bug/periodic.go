package nomad

import (
	"fmt"
	"sync"
	"time"
)

// Job is a periodic job.
type Job struct {
	ID     string
	Period time.Duration
}

// JobEvalDispatcher is an interface to submit jobs and have evaluations created
// for them.
type JobEvalDispatcher interface {
	DispatchJob(id string) error
}

// PeriodicDispatch is used to track and launch periodic jobs.
type PeriodicDispatch struct {
	dispatcher JobEvalDispatcher
	logf       func(string, ...any)

	l        sync.RWMutex
	enabled  bool
	running  bool
	tracked  map[string]*Job
	next     map[string]time.Time
	updateCh chan struct{}
	stopCh   chan struct{}
	waitCh   chan struct{}
}

// NewPeriodicDispatch returns a periodic dispatcher that is disabled.
func NewPeriodicDispatch(d JobEvalDispatcher, logf func(string, ...any)) *PeriodicDispatch {
	p := &PeriodicDispatch{dispatcher: d, logf: logf}
	p.flush()
	return p
}

// SetEnabled is used to control if the periodic dispatcher is enabled. It
// should only be enabled on the active leader. Disabling an active dispatcher
// will stop any launched go routine and flush the dispatcher.
func (p *PeriodicDispatch) SetEnabled(enabled bool) {
	p.l.Lock()
	p.enabled = enabled
	p.l.Unlock()
	if !enabled {
		p.l.RLock()
		running, stopCh, waitCh := p.running, p.stopCh, p.waitCh
		p.l.RUnlock()
		if running {
			close(stopCh)
			<-waitCh
		}
		p.l.Lock()
		p.running = false
		p.flush()
		p.l.Unlock()
	}
}

// Start begins the goroutine that creates derived jobs and evals.
func (p *PeriodicDispatch) Start() {
	p.l.Lock()
	defer p.l.Unlock()
	if p.running || !p.enabled {
		return
	}
	p.running = true
	p.stopCh = make(chan struct{})
	p.waitCh = make(chan struct{})
	go p.run(p.stopCh, p.waitCh, p.updateCh)
}

// flush clears the state of the dispatcher.
func (p *PeriodicDispatch) flush() {
	p.updateCh = make(chan struct{}, 1)
	p.tracked = make(map[string]*Job)
	p.next = make(map[string]time.Time)
}

// Add begins tracking of a periodic job. The FSM calls it.
func (p *PeriodicDispatch) Add(job *Job) {
	p.l.Lock()
	defer p.l.Unlock()

	// Do nothing if not enabled
	if !p.enabled {
		return
	}
	p.tracked[job.ID] = job
	p.next[job.ID] = time.Now().Add(job.Period)

	// Signal an update.
	select {
	case p.updateCh <- struct{}{}:
	default:
	}
}

// run is a long-lived function that waits till a job's periodic spec is met and
// then creates an evaluation to run the job.
func (p *PeriodicDispatch) run(stopCh <-chan struct{}, waitCh chan<- struct{}, updateCh <-chan struct{}) {
	defer close(waitCh)
	for {
		job, launch := p.nextLaunch()
		var launchCh <-chan time.Time
		if job != nil {
			launchCh = time.After(time.Until(launch))
		}
		select {
		case <-stopCh:
			return
		case <-updateCh:
			continue
		case <-launchCh:
			p.dispatch(stopCh, job, launch)
		}
	}
}

// dispatch creates an evaluation for the job and updates its next launchtime
// based on the passed launch time.
func (p *PeriodicDispatch) dispatch(stopCh <-chan struct{}, job *Job, launch time.Time) {
	p.l.Lock()
	defer p.l.Unlock()

	select {
	case <-stopCh:
		return
	default:
	}
	if p.tracked[job.ID] != job {
		return
	}
	p.next[job.ID] = launch.Add(job.Period)
	if err := p.dispatcher.DispatchJob(fmt.Sprintf("%s/periodic-%d", job.ID, launch.Unix())); err != nil {
		p.logf("failed to dispatch job %q: %v", job.ID, err)
	}
}

// nextLaunch returns the next job to launch and when it should be launched.
func (p *PeriodicDispatch) nextLaunch() (*Job, time.Time) {
	p.l.RLock()
	defer p.l.RUnlock()
	var next *Job
	for id, job := range p.tracked {
		if next == nil || p.next[id].Before(p.next[next.ID]) {
			next = job
		}
	}
	if next == nil {
		return nil, time.Time{}
	}
	return next, p.next[next.ID]
}

// Server runs the dispatcher while it is the leader.
type Server struct {
	periodicDispatcher *PeriodicDispatch
	leaderCh           chan bool
	shutdownCh         chan struct{}
	shutdownOnce       sync.Once
}

// monitorLeadership is the leader loop.
func (s *Server) monitorLeadership() {
	for {
		select {
		case <-s.shutdownCh:
			return
		case isLeader := <-s.leaderCh:
			s.periodicDispatcher.SetEnabled(isLeader)
			if isLeader {
				s.periodicDispatcher.Start()
			}
			select {
			case <-s.shutdownCh:
				// Shutdown may have disabled the dispatcher before.
				s.periodicDispatcher.SetEnabled(false)
				return
			default:
			}
		}
	}
}

// Start runs the leader loop.
func (s *Server) Start() {
	go s.monitorLeadership()
}

// Shutdown ends the leader loop and stops the dispatcher.
func (s *Server) Shutdown() {
	s.shutdownOnce.Do(func() { close(s.shutdownCh) })
	s.periodicDispatcher.SetEnabled(false)
}
