package a

import (
	"context"
	"sync"
)

// Stage is a unit of a pipeline that runs on one machine.
type Stage struct {
	ID     int64
	OS     string
	Arch   string
	Labels map[string]string
}

// Filter is what a runner can do.
type Filter struct {
	OS     string
	Arch   string
	Labels map[string]string
}

func (f Filter) matches(s *Stage) bool {
	if f.OS != s.OS || f.Arch != s.Arch {
		return false
	}
	for k, v := range s.Labels {
		if f.Labels[k] != v {
			return false
		}
	}
	return true
}

// worker is a request of a runner that waits for a stage.
type worker struct {
	filter  Filter
	channel chan *Stage
}

// queue hands pending stages to the runners that poll for work.
type queue struct {
	mu      sync.Mutex
	paused  bool
	pending []*Stage
	running map[int64]*Stage
	workers map[*worker]struct{}
}

func newQueue() *queue {
	return &queue{
		running: make(map[int64]*Stage),
		workers: make(map[*worker]struct{}),
	}
}

// Schedule adds a stage.
func (q *queue) Schedule(s *Stage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending = append(q.pending, s)
	q.signal()
}

// Pause keeps stages in the queue until Resume.
func (q *queue) Pause() {
	q.mu.Lock()
	q.paused = true
	q.mu.Unlock()
}

func (q *queue) Resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paused = false
	q.signal()
}

// Request waits for a stage the runner can take. A runner gives up its long
// poll by cancelling the context.
func (q *queue) Request(ctx context.Context, f Filter) (*Stage, error) {
	w := &worker{filter: f, channel: make(chan *Stage, 1)}
	q.mu.Lock()
	q.workers[w] = struct{}{}
	q.signal()
	q.mu.Unlock()

	select {
	case s := <-w.channel:
		return s, nil
	case <-ctx.Done():
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.workers, w)
		return nil, ctx.Err()
	}
}

// signal matches pending stages with workers. A worker gets one stage, and
// leaves the set with it. The caller holds q.mu.
func (q *queue) signal() {
	if q.paused {
		return
	}
	var rest []*Stage
	for _, s := range q.pending {
		w := q.find(s)
		if w == nil {
			rest = append(rest, s)
			continue
		}
		delete(q.workers, w)
		q.running[s.ID] = s
		w.channel <- s
	}
	q.pending = rest
}

func (q *queue) find(s *Stage) *worker {
	for w := range q.workers {
		if w.filter.matches(s) {
			return w
		}
	}
	return nil
}

// Done is reported by the runner that has taken the stage.
func (q *queue) Done(id int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, id)
}

// Stats tells the length of the queue, the stages that run, and the runners
// that wait.
func (q *queue) Stats() (pending, running, workers int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending), len(q.running), len(q.workers)
}
