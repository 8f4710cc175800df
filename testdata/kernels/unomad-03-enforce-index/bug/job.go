// Package bug is the endpoint for jobs of a scheduler.
package bug

import (
	"errors"

	"github.com/atomvet/atomvet/testdata/kernels/unomad-03-enforce-index/bug/state"
)

// ErrStopped is returned after Stop.
var ErrStopped = errors.New("server stopped")

// RegisterRequest asks to run a job.
type RegisterRequest struct {
	ID   string
	Spec string

	// The job must have the index JobModifyIndex, 0 for a new job.
	EnforceIndex   bool
	JobModifyIndex uint64
}

type entry struct {
	req *RegisterRequest
	res chan error
}

// Server applies requests in the order of the log.
type Server struct {
	state   *state.Store
	applyCh chan entry
	stop    chan struct{}
}

// NewServer starts a server.
func NewServer() *Server {
	s := &Server{state: state.NewStore(), applyCh: make(chan entry), stop: make(chan struct{})}
	go s.runFSM()
	return s
}

// runFSM applies the entries of the log.
func (s *Server) runFSM() {
	for index := uint64(1); ; index++ {
		select {
		case e := <-s.applyCh:
			e.res <- s.applyRegister(index, e.req)
		case <-s.stop:
			return
		}
	}
}

func (s *Server) applyRegister(index uint64, req *RegisterRequest) error {
	return s.state.UpsertJob(index, req.ID, req.Spec)
}

// apply puts a request into the log and waits until it was applied.
func (s *Server) apply(req *RegisterRequest) error {
	e := entry{req: req, res: make(chan error, 1)}
	select {
	case s.applyCh <- e:
		return <-e.res
	case <-s.stop:
		return ErrStopped
	}
}

// Register creates or changes a job.
func (s *Server) Register(req *RegisterRequest) error {
	if req.ID == "" || req.Spec == "" {
		return errors.New("incomplete job")
	}
	existing := s.state.JobByID(req.ID)

	// If the index is enforced, check it before trying to apply.
	if req.EnforceIndex {
		if err := existing.Enforce(req.JobModifyIndex); err != nil {
			return err
		}
	}
	return s.apply(req)
}

// Job returns the current version of a job, or nil.
func (s *Server) Job(id string) *state.Job { return s.state.JobByID(id) }

// Stop ends the server. It must be called once.
func (s *Server) Stop() { close(s.stop) }
