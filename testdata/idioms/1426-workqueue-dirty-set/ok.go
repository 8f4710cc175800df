package a

import "sync"

type set map[string]struct{}

func (s set) has(k string) bool { _, ok := s[k]; return ok }

// Queue is a work queue in which a key is never processed by two workers at once and
// not queued twice.
type Queue struct {
	cond         *sync.Cond
	queue        []string
	dirty        set // keys that need processing
	processing   set // keys that some worker has got
	shuttingDown bool
}

func NewQueue() *Queue {
	return &Queue{cond: sync.NewCond(&sync.Mutex{}), dirty: set{}, processing: set{}}
}

// Add marks the key as needing processing.
func (q *Queue) Add(key string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	if q.shuttingDown || q.dirty.has(key) {
		return
	}
	q.dirty[key] = struct{}{}
	if q.processing.has(key) {
		return // Done puts it into the queue
	}
	q.queue = append(q.queue, key)
	q.cond.Signal()
}

// Get blocks until there is a key to process. Done must be called for it.
func (q *Queue) Get() (key string, shutdown bool) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	for len(q.queue) == 0 && !q.shuttingDown {
		q.cond.Wait()
	}
	if len(q.queue) == 0 {
		return "", true
	}
	key, q.queue = q.queue[0], q.queue[1:]
	q.processing[key] = struct{}{}
	delete(q.dirty, key)
	return key, false
}

// Done marks the key as processed.
func (q *Queue) Done(key string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	delete(q.processing, key)
	if q.dirty.has(key) {
		q.queue = append(q.queue, key)
		q.cond.Signal()
	}
}

func (q *Queue) ShutDown() {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	q.shuttingDown = true
	q.cond.Broadcast()
}

// Controller counts the replicas that it has started per key.
type Controller struct {
	queue *Queue

	mu      sync.Mutex
	desired map[string]int
	actual  map[string]int
	start   func(key string)
}

func NewController(start func(key string)) *Controller {
	return &Controller{queue: NewQueue(), desired: map[string]int{}, actual: map[string]int{}, start: start}
}

// OnUpdate is the informer's event handler.
func (c *Controller) OnUpdate(key string, replicas int) {
	c.mu.Lock()
	c.desired[key] = replicas
	c.mu.Unlock()
	c.queue.Add(key)
}

func (c *Controller) Run(workers int) {
	for range workers {
		go c.worker()
	}
}

func (c *Controller) worker() {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		c.sync(key)
		c.queue.Done(key)
	}
}

func (c *Controller) sync(key string) {
	c.mu.Lock()
	want, have := c.desired[key], c.actual[key]
	c.mu.Unlock()
	for ; have < want; have++ {
		c.start(key)
	}
	c.mu.Lock()
	c.actual[key] = have
	c.mu.Unlock()
}
