package nomad

import (
	"fmt"
	"log"
)

// JobDeregisterOptions configures how a job is deregistered.
type JobDeregisterOptions struct {
	// Purge controls whether the deregister purges the job from the system or
	// whether the job is just marked as stopped and will be removed by the
	// garbage collector
	Purge bool
}

// JobRegisterRequest is used to register a job.
type JobRegisterRequest struct {
	Job  *Job
	Eval *Evaluation
}

// JobBatchDeregisterRequest is used to batch deregister jobs and upsert
// evaluations.
type JobBatchDeregisterRequest struct {
	// Jobs is the set of jobs to deregister
	Jobs map[string]*JobDeregisterOptions

	// Evals is the set of evaluations to create.
	Evals []*Evaluation
}

// LogEntry is a committed entry of the Raft log.
type LogEntry struct {
	Index   uint64
	Request interface{}
}

// nomadFSM implements a finite state machine that is used
// along with Raft to provide strong consistency.
type nomadFSM struct {
	evalBroker *EvalBroker
	state      *StateStore
}

// run applies the committed entries of the log.
func (n *nomadFSM) run(committed <-chan *LogEntry) {
	for l := range committed {
		if err := n.Apply(l); err != nil {
			log.Printf("applying entry %d failed: %v", l.Index, err)
		}
	}
}

// Apply applies one entry.
func (n *nomadFSM) Apply(l *LogEntry) error {
	switch req := l.Request.(type) {
	case *JobRegisterRequest:
		return n.applyUpsertJob(req, l.Index)
	case *JobBatchDeregisterRequest:
		return n.applyBatchDeregisterJob(req, l.Index)
	default:
		return fmt.Errorf("failed to apply request: %#v", l.Request)
	}
}

func (n *nomadFSM) applyUpsertJob(req *JobRegisterRequest, index uint64) error {
	err := n.state.WithWriteTransaction(func(tx *Txn) error {
		if err := n.state.UpsertJobTxn(index, req.Job, tx); err != nil {
			return err
		}
		return n.state.UpsertEvalsTxn(index, []*Evaluation{req.Eval}, tx)
	})
	if err != nil {
		return err
	}
	n.handleUpsertedEvals([]*Evaluation{req.Eval})
	return nil
}

func (n *nomadFSM) applyBatchDeregisterJob(req *JobBatchDeregisterRequest, index uint64) error {
	for jobID, options := range req.Jobs {
		err := n.state.WithWriteTransaction(func(tx *Txn) error {
			return n.handleJobDeregister(index, jobID, options.Purge, tx)
		})
		if err != nil {
			log.Printf("deregistering job %s failed: %v", jobID, err)
			return err
		}
	}

	return n.upsertEvals(index, req.Evals)
}

// handleJobDeregister is used to deregister a job.
func (n *nomadFSM) handleJobDeregister(index uint64, jobID string, purge bool, tx *Txn) error {
	if purge {
		return n.state.DeleteJobTxn(index, jobID, tx)
	}

	// Get the current job and mark it as stopped and re-insert it.
	current := tx.t.jobs[jobID]
	if current == nil {
		return fmt.Errorf("job %q doesn't exist to be deregistered", jobID)
	}

	stopped := current.Copy()
	stopped.Stop = true
	return n.state.UpsertJobTxn(index, stopped, tx)
}

func (n *nomadFSM) upsertEvals(index uint64, evals []*Evaluation) error {
	if err := n.state.UpsertEvals(index, evals); err != nil {
		log.Printf("UpsertEvals failed: %v", err)
		return err
	}

	n.handleUpsertedEvals(evals)
	return nil
}

// handleUpsertingEval is a helper for taking action after upserting
// evaluations.
func (n *nomadFSM) handleUpsertedEvals(evals []*Evaluation) {
	for _, eval := range evals {
		if eval.Status == "pending" {
			n.evalBroker.Enqueue(eval)
		}
	}
}
