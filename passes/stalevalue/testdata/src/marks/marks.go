// Package marks starts goroutines, and notes what becomes of them.
package marks

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

type State int

const (
	Queued State = iota
	Running
	Done
)

type Jobs struct {
	mu   sync.Mutex
	jobs map[string]*job
}

type job struct{ state State }

func (j *Jobs) Add(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.jobs[id] = new(job)
}

func (j *Jobs) mark(id string, s State) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if job, ok := j.jobs[id]; ok {
		job.state = s
	}
}

func (j *Jobs) launch(id string, work func()) {
	go func() {
		work()
		j.mark(id, Done)
	}()
}

// Submit may note that a job runs which has ended.
func (j *Jobs) Submit(id string, work func()) {
	j.launch(id, work)
	j.mark(id, Running) // want `lost-update: j.jobs\[.*\].state is written here, after the goroutine was started at line \d+ that writes it as well`
}

// SubmitMarked notes it before.
func (j *Jobs) SubmitMarked(id string, work func()) {
	j.mark(id, Running)
	j.launch(id, work)
}

// SubmitLocked starts the job under the lock that it needs in order to note its end.
func (j *Jobs) SubmitLocked(id string, work func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.launch(id, work)
	j.jobs[id].state = Running
}

// SubmitLooking only notes that the job runs if its end has not been noted.
func (j *Jobs) SubmitLooking(id string, work func()) {
	j.launch(id, work)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.jobs[id].state == Queued {
		j.jobs[id].state = Running
	}
}

// SubmitHeld lets the job begin after it has noted that.
func (j *Jobs) SubmitHeld(id string, work func()) {
	begin := make(chan struct{})
	go func() {
		<-begin
		work()
		j.mark(id, Done)
	}()
	j.mark(id, Running)
	close(begin)
}

// SubmitOther notes it of another job.
func (j *Jobs) SubmitOther(id, next string, work func()) {
	j.launch(id, work)
	j.mark(next, Queued)
}

// SubmitLater starts the job when the time has come.
func (j *Jobs) SubmitLater(id string, work func()) {
	time.AfterFunc(time.Minute, func() {
		work()
		j.mark(id, Done)
	})
	j.mark(id, Running)
}

var errFull = errors.New("full")

// start returns no error once it has started the job.
func (j *Jobs) start(id string, work func()) error {
	if len(id) > 8 {
		return errFull
	}
	j.launch(id, work)
	return nil
}

// SubmitOrQueue notes that the job has to wait only if it was not started.
func (j *Jobs) SubmitOrQueue(id string, work func()) {
	if err := j.start(id, work); err != nil {
		j.mark(id, Queued)
	}
}

// A Server has a flag that its loop clears.
type Server struct {
	running atomic.Bool
	quit    chan struct{}
}

func (s *Server) Start(serve func()) {
	go func() {
		defer s.running.Store(false)
		serve()
	}()
	s.running.Store(true) // want `lost-update: s.running is written here, after the goroutine was started at line`
}

// StartUntil has a loop that ends when it is told to, which it cannot be before it runs.
func (s *Server) StartUntil(serve func()) {
	go func() {
		serve()
		<-s.quit
		s.running.Store(false)
	}()
	s.running.Store(true)
}

// Stop ends the loop.
func (s *Server) Stop() {
	if s.running.Load() {
		close(s.quit)
	}
}
