package nomad

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"sync"
)

var errNotLeader = errors.New("node is not the leader")

type Job struct {
	ID             string
	Type           string
	Priority       int
	Periodic       bool
	Stop           bool
	JobModifyIndex uint64
}

type Evaluation struct {
	ID             string
	JobID          string
	Priority       int
	TriggeredBy    string
	Status         string
	JobModifyIndex uint64
	ModifyIndex    uint64
}

// JobRegisterRequest is applied by the FSM.
type JobRegisterRequest struct {
	Job *Job
}

// JobDeregisterRequest is applied by the FSM.
type JobDeregisterRequest struct {
	JobID string
}

// EvalUpdateRequest is applied by the FSM.
type EvalUpdateRequest struct {
	Evals []*Evaluation
}

type JobRegisterResponse struct {
	EvalID         string
	JobModifyIndex uint64
}

// StateStore has the jobs and evaluations. Stored objects are not modified.
type StateStore struct {
	l     sync.RWMutex
	jobs  map[string]*Job
	evals map[string]*Evaluation
}

// WithWriteTransaction runs fn with the store locked.
func (s *StateStore) WithWriteTransaction(fn func() error) error {
	s.l.Lock()
	defer s.l.Unlock()
	return fn()
}

func (s *StateStore) upsertJobTxn(index uint64, job *Job) {
	stored := *job
	stored.JobModifyIndex = index
	s.jobs[job.ID] = &stored
}

func (s *StateStore) upsertEvalsTxn(index uint64, evals []*Evaluation) {
	for _, e := range evals {
		stored := *e
		stored.ModifyIndex = index
		s.evals[e.ID] = &stored
	}
}

func (s *StateStore) JobByID(id string) *Job {
	s.l.RLock()
	defer s.l.RUnlock()
	return s.jobs[id]
}

// JobStatus is pending as long as the job has evaluations to process.
func (s *StateStore) JobStatus(id string) string {
	s.l.RLock()
	defer s.l.RUnlock()
	job, ok := s.jobs[id]
	if !ok || job.Stop {
		return "dead"
	}
	for _, e := range s.evals {
		if e.JobID == id && e.Status == "pending" {
			return "pending"
		}
	}
	return "running"
}

// Evals returns all evaluations.
func (s *StateStore) Evals() []*Evaluation {
	s.l.RLock()
	defer s.l.RUnlock()
	var out []*Evaluation
	for _, e := range s.evals {
		out = append(out, e)
	}
	return out
}

// nomadFSM is called by one goroutine, with the committed entries in order.
type nomadFSM struct {
	state  *StateStore
	broker *EvalBroker
}

func (n *nomadFSM) Apply(index uint64, req any) error {
	switch req := req.(type) {
	case *JobRegisterRequest:
		return n.applyUpsertJob(index, req)
	case *JobDeregisterRequest:
		return n.applyDeregisterJob(index, req)
	case *EvalUpdateRequest:
		return n.applyUpdateEval(index, req)
	}
	return fmt.Errorf("failed to apply request: %#v", req)
}

func (n *nomadFSM) applyUpsertJob(index uint64, req *JobRegisterRequest) error {
	return n.state.WithWriteTransaction(func() error {
		n.state.upsertJobTxn(index, req.Job)
		return nil
	})
}

func (n *nomadFSM) applyDeregisterJob(index uint64, req *JobDeregisterRequest) error {
	return n.state.WithWriteTransaction(func() error {
		job, ok := n.state.jobs[req.JobID]
		if !ok {
			return errors.New("job not found")
		}
		stopped := *job
		stopped.Stop = true
		n.state.upsertJobTxn(index, &stopped)
		return nil
	})
}

func (n *nomadFSM) applyUpdateEval(index uint64, req *EvalUpdateRequest) error {
	err := n.state.WithWriteTransaction(func() error {
		n.state.upsertEvalsTxn(index, req.Evals)
		return nil
	})
	if err != nil {
		return err
	}
	n.handleUpsertedEvals(req.Evals)
	return nil
}

// handleUpsertedEvals hands the evaluations to the broker of the leader.
func (n *nomadFSM) handleUpsertedEvals(evals []*Evaluation) {
	for _, e := range evals {
		n.broker.Enqueue(e)
	}
}

// EvalBroker queues evaluations while it is enabled. An evaluation is queued
// once.
type EvalBroker struct {
	l       sync.Mutex
	enabled bool
	ready   map[string]*Evaluation
}

func (b *EvalBroker) Enqueue(e *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	if b.enabled && e.Status == "pending" {
		b.ready[e.ID] = e
	}
}

func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	defer b.l.Unlock()
	b.enabled = enabled
	b.ready = make(map[string]*Evaluation)
}

type raftEntry struct {
	req   any
	errCh chan error
}

// Server has the raft log; apply is refused when it is not the leader.
type Server struct {
	fsm *nomadFSM

	raftLock sync.Mutex
	leader   bool
	index    uint64
}

func NewServer() *Server {
	state := &StateStore{jobs: make(map[string]*Job), evals: make(map[string]*Evaluation)}
	return &Server{fsm: &nomadFSM{state: state, broker: &EvalBroker{ready: make(map[string]*Evaluation)}}}
}

// raftApply returns when the entry is committed and applied.
func (s *Server) raftApply(req any) (uint64, error) {
	s.raftLock.Lock()
	defer s.raftLock.Unlock()
	if !s.leader {
		return 0, errNotLeader
	}
	s.index++
	return s.index, s.fsm.Apply(s.index, req)
}

// leadershipChanged is called by the raft goroutine. The leader restores the
// pending evaluations of the state.
func (s *Server) leadershipChanged(leader bool) {
	s.raftLock.Lock()
	s.leader = leader
	s.raftLock.Unlock()
	s.fsm.broker.SetEnabled(leader)
	if leader {
		for _, e := range s.fsm.state.Evals() {
			s.fsm.broker.Enqueue(e)
		}
	}
}

// JobEndpoint is used for job interactions; each request has its goroutine.
type JobEndpoint struct {
	srv *Server
}

// Register is used to upsert a job for scheduling
func (j *JobEndpoint) Register(args *JobRegisterRequest, reply *JobRegisterResponse) error {
	if args.Job == nil || args.Job.ID == "" {
		return errors.New("missing job for registration")
	}

	// Commit this update via Raft
	index, err := j.srv.raftApply(args)
	if err != nil {
		log.Printf("registering job failed: %v", err)
		return err
	}

	// Populate the reply with job information
	reply.JobModifyIndex = index

	// If the job is periodic, we don't create an eval.
	if args.Job.Periodic {
		return nil
	}

	// Create a new evaluation
	eval := &Evaluation{
		ID:             generateUUID(),
		JobID:          args.Job.ID,
		Priority:       args.Job.Priority,
		TriggeredBy:    "job-register",
		Status:         "pending",
		JobModifyIndex: index,
	}

	// Commit this evaluation via Raft
	if _, err := j.srv.raftApply(&EvalUpdateRequest{Evals: []*Evaluation{eval}}); err != nil {
		log.Printf("eval create failed: %v", err)
		return err
	}
	reply.EvalID = eval.ID
	return nil
}

// Deregister is used to stop a job.
func (j *JobEndpoint) Deregister(args *JobDeregisterRequest) error {
	_, err := j.srv.raftApply(args)
	return err
}

func generateUUID() string {
	var buf [16]byte
	_, _ = rand.Read(buf[:])
	return hex.EncodeToString(buf[:])
}
