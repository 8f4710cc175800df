package nomad

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Job is a job as it was registered.
type Job struct {
	ID          string
	Stop        bool
	ModifyIndex uint64
}

// Copy returns a copy of the job.
func (j *Job) Copy() *Job {
	nj := *j
	return &nj
}

// Evaluation is work for the schedulers.
type Evaluation struct {
	ID          string
	JobID       string
	Status      string
	ModifyIndex uint64
}

// tables are the contents of the state store. They are never changed, a write
// transaction works on a copy.
type tables struct {
	jobs  map[string]*Job
	evals map[string]*Evaluation
	index uint64
}

func (t *tables) clone() *tables {
	c := &tables{
		jobs:  make(map[string]*Job, len(t.jobs)),
		evals: make(map[string]*Evaluation, len(t.evals)),
		index: t.index,
	}
	for k, v := range t.jobs {
		c.jobs[k] = v
	}
	for k, v := range t.evals {
		c.evals[k] = v
	}
	return c
}

// StateStore is responsible for maintaining all the Nomad
// state. It is manipulated by the FSM which maintains consistency
// through the use of Raft.
type StateStore struct {
	// writer allows only one write transaction
	writer sync.Mutex
	root   atomic.Pointer[tables]
}

// NewStateStore is used to create a new state store
func NewStateStore() *StateStore {
	s := &StateStore{}
	s.root.Store(&tables{jobs: map[string]*Job{}, evals: map[string]*Evaluation{}})
	return s
}

// Txn is a write transaction.
type Txn struct {
	s    *StateStore
	t    *tables
	done bool
}

func (s *StateStore) txn() *Txn {
	s.writer.Lock()
	return &Txn{s: s, t: s.root.Load().clone()}
}

// Commit makes the changes of the transaction visible.
func (txn *Txn) Commit() {
	if txn.done {
		return
	}
	txn.done = true
	txn.s.root.Store(txn.t)
	txn.s.writer.Unlock()
}

// Abort drops the changes of the transaction. It does nothing after Commit.
func (txn *Txn) Abort() {
	if txn.done {
		return
	}
	txn.done = true
	txn.s.writer.Unlock()
}

// WithWriteTransaction executes the passed function within a write transaction,
// and returns its result.  If the invocation returns no error, the transaction
// is committed; otherwise, it's aborted.
func (s *StateStore) WithWriteTransaction(fn func(*Txn) error) error {
	tx := s.txn()
	defer tx.Abort()

	err := fn(tx)
	if err == nil {
		tx.Commit()
	}
	return err
}

// StateSnapshot is used to provide a point-in-time snapshot
type StateSnapshot struct {
	t *tables
}

// Snapshot is used to create a point in time snapshot.
func (s *StateStore) Snapshot() *StateSnapshot {
	return &StateSnapshot{t: s.root.Load()}
}

// JobByID is used to lookup a job by its ID.
func (s *StateSnapshot) JobByID(id string) *Job {
	return s.t.jobs[id]
}

// LatestIndex returns the greatest index value of the snapshot
func (s *StateSnapshot) LatestIndex() uint64 {
	return s.t.index
}

// LatestIndex returns the greatest index value for all indexes
func (s *StateStore) LatestIndex() uint64 {
	return s.root.Load().index
}

// UpsertJob is used to register a job or update a job definition
func (s *StateStore) UpsertJob(index uint64, job *Job) error {
	return s.WithWriteTransaction(func(txn *Txn) error {
		return s.UpsertJobTxn(index, job, txn)
	})
}

// UpsertJobTxn is used to register a job or update a job definition, like
// UpsertJob, but in a transaction.
func (s *StateStore) UpsertJobTxn(index uint64, job *Job, txn *Txn) error {
	job.ModifyIndex = index
	txn.t.jobs[job.ID] = job
	txn.t.index = index
	return nil
}

// DeleteJobTxn is used to deregister a job in a transaction.
func (s *StateStore) DeleteJobTxn(index uint64, id string, txn *Txn) error {
	if _, ok := txn.t.jobs[id]; !ok {
		return fmt.Errorf("job not found: %s", id)
	}
	delete(txn.t.jobs, id)
	txn.t.index = index
	return nil
}

// UpsertEvals is used to upsert a set of evaluations
func (s *StateStore) UpsertEvals(index uint64, evals []*Evaluation) error {
	return s.WithWriteTransaction(func(txn *Txn) error {
		return s.UpsertEvalsTxn(index, evals, txn)
	})
}

// UpsertEvalsTxn is used to upsert a set of evaluations, like UpsertEvals, but
// in a transaction.
func (s *StateStore) UpsertEvalsTxn(index uint64, evals []*Evaluation, txn *Txn) error {
	for _, e := range evals {
		e.ModifyIndex = index
		txn.t.evals[e.ID] = e
	}
	txn.t.index = index
	return nil
}
