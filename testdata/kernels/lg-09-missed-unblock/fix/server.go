package nomad

import (
	"sync"
	"time"
)

// Node is a client node.
type Node struct {
	ID            string
	ComputedClass string
	Free          int
}

// StateStore holds the nodes.
type StateStore struct {
	mu    sync.RWMutex
	index uint64
	nodes map[string]Node
}

// Snapshot returns a copy of the nodes and the index at which it was taken.
func (s *StateStore) Snapshot() ([]Node, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	nodes := make([]Node, 0, len(s.nodes))
	for _, n := range s.nodes {
		nodes = append(nodes, n)
	}
	return nodes, s.index
}

// UpsertNode is used to register a node or update a node definition
func (s *StateStore) UpsertNode(index uint64, n Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[n.ID] = n
	s.index = index
}

// nomadFSM implements a finite state machine that is used along with Raft to
// provide strong consistency.
type nomadFSM struct {
	state        *StateStore
	blockedEvals *BlockedEvals
}

func (n *nomadFSM) applyUpsertNode(index uint64, node Node) {
	n.state.UpsertNode(index, node)

	// Unblock evals for the nodes computed node class if it is in a ready
	// state.
	n.blockedEvals.Unblock(node.ComputedClass, index)
}

// Worker is a single threaded scheduling worker.
type Worker struct {
	state        *StateStore
	evalBroker   *EvalBroker
	blockedEvals *BlockedEvals
	need         func(eval *Evaluation) int
	place        func(eval *Evaluation, node Node) bool
	stopCh       chan struct{}
}

// StartWorkers starts n workers.
func StartWorkers(n int, w Worker) {
	for i := 0; i < n; i++ {
		w := w
		go w.run()
	}
}

// run is the long-lived goroutine which is used to run the worker
func (w *Worker) run() {
	for {
		select {
		case <-w.stopCh:
			return
		default:
		}
		eval := w.evalBroker.Dequeue(500 * time.Millisecond)
		if eval == nil {
			continue
		}
		w.invokeScheduler(eval)
	}
}

// invokeScheduler is used to invoke the business logic of the scheduler
func (w *Worker) invokeScheduler(eval *Evaluation) {
	nodes, index := w.state.Snapshot()
	failed := &Evaluation{
		ID:               eval.ID,
		JobID:            eval.JobID,
		ClassEligibility: make(map[string]bool),
		SnapshotIndex:    index,
	}
	for _, node := range nodes {
		failed.ClassEligibility[node.ComputedClass] = true
		if node.Free >= w.need(eval) && w.place(eval, node) {
			return
		}
	}
	w.blockedEvals.Block(failed)
}
