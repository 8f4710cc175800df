// Package bug is a scheduler's queue and its loop. Pods that fit nowhere are
// parked until something in the cluster changes.
package bug

import "sync"

// Pod has a name that no other pod has.
type Pod struct {
	Name string
	CPU  int
}

type queued struct {
	pod      Pod
	attempts int
}

type Queue struct {
	mu     sync.Mutex
	cond   *sync.Cond
	active []*queued
	parked map[string]*queued
	closed bool
}

func newQueue() *Queue {
	q := &Queue{parked: make(map[string]*queued)}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *Queue) Add(p Pod) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activate(&queued{pod: p})
}

func (q *Queue) activate(it *queued) {
	q.active = append(q.active, it)
	q.cond.Signal()
}

func (q *Queue) Pop() (*queued, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.active) == 0 && !q.closed {
		q.cond.Wait()
	}
	if q.closed {
		return nil, false
	}
	it := q.active[0]
	q.active = q.active[1:]
	it.attempts++
	return it, true
}

// Park puts away a pod that was popped and could not be placed.
func (q *Queue) Park(it *queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.parked[it.pod.Name] = it
}

// Unpark gives all parked pods another try.
func (q *Queue) Unpark() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for name, it := range q.parked {
		delete(q.parked, name)
		q.activate(it)
	}
}

func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}

type nodeCache struct {
	mu   sync.Mutex
	free map[string]int
}

// assume finds a node with room and takes the room.
func (c *nodeCache) assume(p Pod) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, free := range c.free {
		if p.CPU <= free {
			c.free[name] = free - p.CPU
			return name, true
		}
	}
	return "", false
}

func (c *nodeCache) give(node string, cpu int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free[node] += cpu
}

type Scheduler struct {
	queue *Queue
	cache *nodeCache
	bind  func(pod Pod, node string) error
}

func NewScheduler(bind func(Pod, string) error) *Scheduler {
	return &Scheduler{queue: newQueue(), cache: &nodeCache{free: make(map[string]int)}, bind: bind}
}

func (s *Scheduler) Submit(p Pod) { s.queue.Add(p) }
func (s *Scheduler) Stop()        { s.queue.Close() }

// Freed is called by the informers: a node joined or a pod on it ended.
func (s *Scheduler) Freed(node string, cpu int) {
	s.cache.give(node, cpu)
	s.queue.Unpark()
}

// Run is the loop of one scheduling worker.
func (s *Scheduler) Run() {
	for {
		it, ok := s.queue.Pop()
		if !ok {
			return
		}
		s.schedule(it)
	}
}

func (s *Scheduler) schedule(it *queued) {
	node, ok := s.cache.assume(it.pod)
	if !ok {
		s.queue.Park(it)
		return
	}
	if err := s.bind(it.pod, node); err != nil {
		s.queue.Add(it.pod)
		s.Freed(node, it.pod.CPU)
	}
}
