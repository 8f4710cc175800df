package nomad

import (
	"fmt"
	"log"
	"sync"
	"time"
)

// raftSyncLimit is the limit of time we will wait for Raft replication
// to catch up to the evaluation.
const raftSyncLimit = 5 * time.Second

// EvalBroker is used to manage brokering of evaluations. It runs on the leader.
type EvalBroker struct {
	enabled bool
	l       sync.Mutex
	ready   []*Evaluation
	avail   chan struct{}
}

// NewEvalBroker creates a new evaluation broker. The broker of a server that is
// not the leader is not enabled, it ignores evaluations.
func NewEvalBroker(enabled bool) *EvalBroker {
	return &EvalBroker{enabled: enabled, avail: make(chan struct{}, 1)}
}

// Enqueue is used to enqueue a new evaluation
func (b *EvalBroker) Enqueue(eval *Evaluation) {
	if !b.enabled {
		return
	}
	b.l.Lock()
	defer b.l.Unlock()
	b.ready = append(b.ready, eval)
	b.notify()
}

func (b *EvalBroker) notify() {
	select {
	case b.avail <- struct{}{}:
	default:
	}
}

// Dequeue is used to perform a blocking dequeue
func (b *EvalBroker) Dequeue(stop <-chan struct{}) *Evaluation {
	for {
		select {
		case <-stop:
			return nil
		case <-b.avail:
		}
		b.l.Lock()
		if len(b.ready) > 0 {
			eval := b.ready[0]
			b.ready = b.ready[1:]
			if len(b.ready) > 0 {
				b.notify()
			}
			b.l.Unlock()
			return eval
		}
		b.l.Unlock()
	}
}

// Scheduler places or stops the allocations of a job; job is nil if it is gone.
type Scheduler interface {
	Process(eval *Evaluation, job *Job) error
}

// Worker is a single threaded scheduling worker. The servers that are not the
// leader run workers too: they dequeue evaluations from the broker of the
// leader and work on their own state, which may lag behind.
type Worker struct {
	fsm       *nomadFSM
	leader    *EvalBroker
	scheduler Scheduler
	stop      <-chan struct{}
}

// StartServer starts the FSM and the workers of a server. leader is the broker
// of the leader, committed delivers the log as this server has decoded it.
func StartServer(own, leader *EvalBroker, committed <-chan *LogEntry, workers int, s Scheduler, stop <-chan struct{}) *nomadFSM {
	fsm := &nomadFSM{evalBroker: own, state: NewStateStore()}
	go fsm.run(committed)
	for i := 0; i < workers; i++ {
		w := &Worker{fsm: fsm, leader: leader, scheduler: s, stop: stop}
		go w.run()
	}
	return fsm
}

// run is the long-lived goroutine which is used to run the worker
func (w *Worker) run() {
	for {
		eval := w.leader.Dequeue(w.stop)
		if eval == nil {
			return
		}

		// Wait for the raft log to catchup to the evaluation
		if err := w.waitForIndex(eval.ModifyIndex, raftSyncLimit); err != nil {
			w.leader.Enqueue(eval)
			continue
		}

		if err := w.invokeScheduler(eval); err != nil {
			log.Printf("worker: error invoking scheduler: %v", err)
			w.leader.Enqueue(eval)
		}
	}
}

// waitForIndex ensures that the local state is at least as fresh
// as the given index. This is used before starting an evaluation,
// but also potentially mid-stream.
func (w *Worker) waitForIndex(index uint64, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	for w.fsm.state.LatestIndex() < index {
		if time.Now().After(deadline) {
			return fmt.Errorf("sync wait timeout reached")
		}
		select {
		case <-w.stop:
			return fmt.Errorf("shutdown while waiting for state sync")
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// invokeScheduler is used to invoke the business logic of the scheduler
func (w *Worker) invokeScheduler(eval *Evaluation) error {
	// Store the snapshot's index
	snap := w.fsm.state.Snapshot()
	return w.scheduler.Process(eval, snap.JobByID(eval.JobID))
}
