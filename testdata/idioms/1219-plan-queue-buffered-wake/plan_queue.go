package nomad

import (
	"container/heap"
	"errors"
	"sync"
	"time"
)

var (
	// planQueueFlushed is the error used for all pending plans
	// when the queue is flushed or disabled
	planQueueFlushed  = errors.New("plan queue flushed")
	planQueueDisabled = errors.New("plan queue is disabled")
)

// Plan is used to submit a commit plan for task allocations.
type Plan struct {
	EvalID   string
	Priority int
}

// PlanResult is the result of a plan submitted to the leader.
type PlanResult struct {
	AllocIndex uint64
}

// PlanQueue is used to submit commit plans for task allocations
// to the current leader. It has one reader, the plan applier of the leader.
type PlanQueue struct {
	enabled bool
	depth   int

	ready  PendingPlans
	waitCh chan struct{}

	l sync.RWMutex
}

// NewPlanQueue is used to construct and return a new plan queue
func NewPlanQueue() *PlanQueue {
	return &PlanQueue{
		ready:  make([]*pendingPlan, 0, 16),
		waitCh: make(chan struct{}, 1),
	}
}

// pendingPlan is used to wrap a plan that is enqueued
// so that we can re-use it as a future.
type pendingPlan struct {
	plan        *Plan
	enqueueTime time.Time
	result      *PlanResult
	errCh       chan error
}

// Wait is used to block for the plan result or potential error
func (p *pendingPlan) Wait() (*PlanResult, error) {
	err := <-p.errCh
	return p.result, err
}

// respond is used to set the response and error for the future
func (p *pendingPlan) respond(result *PlanResult, err error) {
	p.result = result
	p.errCh <- err
}

// PendingPlans is a list of waiting plans.
// We implement the container/heap interface so that this is a
// priority queue
type PendingPlans []*pendingPlan

// SetEnabled is used to control if the queue is enabled. The queue
// should only be enabled on the active leader.
func (q *PlanQueue) SetEnabled(enabled bool) {
	q.l.Lock()
	defer q.l.Unlock()
	q.enabled = enabled
	if !enabled {
		q.flushLocked()
	}
}

// Enqueue is used to enqueue a plan
func (q *PlanQueue) Enqueue(plan *Plan) (*pendingPlan, error) {
	q.l.Lock()
	defer q.l.Unlock()

	// Do nothing if not enabled
	if !q.enabled {
		return nil, planQueueDisabled
	}

	// Wrap the pending plan
	pending := &pendingPlan{
		plan:        plan,
		enqueueTime: time.Now(),
		errCh:       make(chan error, 1),
	}

	// Push onto the heap
	heap.Push(&q.ready, pending)
	q.depth++

	// Unblock any blocked reader
	select {
	case q.waitCh <- struct{}{}:
	default:
	}
	return pending, nil
}

// Dequeue is used to perform a blocking dequeue
func (q *PlanQueue) Dequeue() (*pendingPlan, error) {
SCAN:
	q.l.Lock()

	// Do nothing if not enabled
	if !q.enabled {
		q.l.Unlock()
		return nil, planQueueDisabled
	}

	// Look for available work
	if len(q.ready) > 0 {
		pending := heap.Pop(&q.ready).(*pendingPlan)
		q.depth--
		q.l.Unlock()
		return pending, nil
	}
	q.l.Unlock()

	// Wait for new work
	<-q.waitCh
	goto SCAN
}

// flushLocked is used to reset the state of the plan queue
func (q *PlanQueue) flushLocked() {
	// Error out all the futures
	for _, pending := range q.ready {
		pending.respond(nil, planQueueFlushed)
	}

	// Reset the broker
	q.depth = 0
	q.ready = make([]*pendingPlan, 0, 16)

	// Unblock any waiters
	select {
	case q.waitCh <- struct{}{}:
	default:
	}
}

// Depth is used to query the state of the queue
func (q *PlanQueue) Depth() int {
	q.l.RLock()
	defer q.l.RUnlock()
	return q.depth
}

// planApply is a long lived goroutine on the leader that reads plan
// allocations from the plan queue and responds to them.
func planApply(q *PlanQueue, apply func(*Plan) (*PlanResult, error)) {
	for {
		// Pull the next pending plan, exit if we are no longer leader
		pending, err := q.Dequeue()
		if err != nil {
			return
		}
		pending.respond(apply(pending.plan))
	}
}

// Len is for the sorting interface
func (p PendingPlans) Len() int { return len(p) }

// Less is for the sorting interface. We flip the check
// so that the "min" in the min-heap is the element with the
// highest priority.
func (p PendingPlans) Less(i, j int) bool {
	if p[i].plan.Priority != p[j].plan.Priority {
		return p[i].plan.Priority > p[j].plan.Priority
	}
	return p[i].enqueueTime.Before(p[j].enqueueTime)
}

// Swap is for the sorting interface
func (p PendingPlans) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

// Push is used to add a new evaluation to the slice
func (p *PendingPlans) Push(e any) { *p = append(*p, e.(*pendingPlan)) }

// Pop is used to remove an evaluation from the slice
func (p *PendingPlans) Pop() any {
	n := len(*p)
	e := (*p)[n-1]
	(*p)[n-1] = nil
	*p = (*p)[:n-1]
	return e
}
