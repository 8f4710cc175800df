// Package ok is a queue of keys for controllers.
package ok

import (
	"log"
	"sync"
)

// Queue gives a key to one worker at a time.
type Queue struct {
	mu           sync.Mutex
	cond         *sync.Cond
	order        []string
	dirty        map[string]bool // keys that need processing
	processing   map[string]bool // keys that a worker has
	shuttingDown bool
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	q := &Queue{dirty: make(map[string]bool), processing: make(map[string]bool)}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Add marks a key. If a worker has it, it is queued again afterwards.
func (q *Queue) Add(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.shuttingDown || q.dirty[key] {
		return
	}
	q.dirty[key] = true
	if q.processing[key] {
		return
	}
	q.order = append(q.order, key)
	q.cond.Signal()
}

// Get waits for a key. Done must be called for it.
func (q *Queue) Get() (key string, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 && !q.shuttingDown {
		q.cond.Wait()
	}
	if len(q.order) == 0 {
		return "", true
	}
	key = q.order[0]
	q.order = q.order[1:]
	q.processing[key] = true
	delete(q.dirty, key)
	return key, false
}

// Done ends the processing of a key.
func (q *Queue) Done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.processing, key)
	if q.dirty[key] {
		q.order = append(q.order, key)
		q.cond.Signal()
	} else if len(q.processing) == 0 {
		q.cond.Broadcast()
	}
}

// ShutDown makes Get return when the queue is empty.
func (q *Queue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shuttingDown = true
	q.cond.Broadcast()
}

// Store is the cache of what the cluster should be. Objects are immutable.
type Store struct {
	mu      sync.RWMutex
	objects map[string]int
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{objects: make(map[string]int)} }

func (s *Store) get(key string) (int, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.objects[key]
	return v, ok
}

func (s *Store) set(key string, replicas int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = replicas
}

// Controller makes reality follow the store.
type Controller struct {
	queue  *Queue
	wanted *Store
	actual *Store // an entry is only written by the worker that has its key
	scale  func(key string, from, to int) error
	wg     sync.WaitGroup
}

// Run starts workers.
func Run(workers int, scale func(key string, from, to int) error) *Controller {
	c := &Controller{queue: NewQueue(), wanted: NewStore(), actual: NewStore(), scale: scale}
	for range workers {
		c.wg.Add(1)
		go func() {
			defer c.wg.Done()
			for c.processNext() {
			}
		}()
	}
	return c
}

// Update is called by the watch when an object has changed.
func (c *Controller) Update(key string, replicas int) {
	c.wanted.set(key, replicas)
	c.queue.Add(key)
}

func (c *Controller) processNext() bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(key); err != nil {
		log.Printf("syncing %s: %v", key, err)
		c.queue.Add(key)
	}
	return true
}

// sync compares and acts. A change of the wanted state in between marks the
// key again.
func (c *Controller) sync(key string) error {
	want, ok := c.wanted.get(key)
	if !ok {
		return nil
	}
	have, _ := c.actual.get(key)
	if have == want {
		return nil
	}
	if err := c.scale(key, have, want); err != nil {
		return err
	}
	c.actual.set(key, want)
	return nil
}

// Stop ends the workers.
func (c *Controller) Stop() {
	c.queue.ShutDown()
	c.wg.Wait()
}
