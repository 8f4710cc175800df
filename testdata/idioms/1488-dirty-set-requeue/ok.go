package reconqueue

import (
	"context"
	"sync"
)

// keyQueue hands every key to one worker at a time. A key that is added while
// it is being worked on is handed out again afterwards.
type keyQueue struct {
	mu       sync.Mutex
	cond     *sync.Cond
	order    []string
	dirty    map[string]struct{}
	active   map[string]struct{}
	draining bool
}

func newKeyQueue() *keyQueue {
	q := &keyQueue{dirty: make(map[string]struct{}), active: make(map[string]struct{})}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *keyQueue) Add(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.draining {
		return
	}
	if _, ok := q.dirty[key]; ok {
		return
	}
	q.dirty[key] = struct{}{}
	if _, ok := q.active[key]; ok {
		return
	}
	q.order = append(q.order, key)
	q.cond.Signal()
}

func (q *keyQueue) Next() (key string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 && !q.draining {
		q.cond.Wait()
	}
	if len(q.order) == 0 {
		return "", false
	}
	key = q.order[0]
	q.order = q.order[1:]
	q.active[key] = struct{}{}
	delete(q.dirty, key)
	return key, true
}

func (q *keyQueue) Finish(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.active, key)
	if _, ok := q.dirty[key]; ok {
		q.order = append(q.order, key)
		q.cond.Signal()
	}
}

func (q *keyQueue) Drain() {
	q.mu.Lock()
	q.draining = true
	q.mu.Unlock()
	q.cond.Broadcast()
}

// Desired is the wanted state of an object; it is not changed once stored.
type Desired struct {
	Gen      int64
	Replicas int
}

// objectStore mirrors the objects of the API server.
type objectStore struct {
	mu   sync.RWMutex
	objs map[string]*Desired
}

func (s *objectStore) get(key string) (*Desired, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, ok := s.objs[key]
	return d, ok
}

func (s *objectStore) put(key string, d *Desired) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objs[key] = d
}

func (s *objectStore) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objs, key)
}

// Backend makes the world look like the desired state.
type Backend interface {
	Scale(ctx context.Context, key string, replicas int) error
	Remove(ctx context.Context, key string) error
}

// Reconciler runs the workers.
type Reconciler struct {
	store   *objectStore
	queue   *keyQueue
	backend Backend
}

// NewReconciler returns a reconciler that is not running.
func NewReconciler(b Backend) *Reconciler {
	return &Reconciler{store: &objectStore{objs: make(map[string]*Desired)}, queue: newKeyQueue(), backend: b}
}

// OnUpdate is called by the event source.
func (r *Reconciler) OnUpdate(key string, d Desired) {
	r.store.put(key, &d)
	r.queue.Add(key)
}

// OnDelete is called by the event source.
func (r *Reconciler) OnDelete(key string) {
	r.store.drop(key)
	r.queue.Add(key)
}

// Run works until ctx is done.
func (r *Reconciler) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for r.processNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	r.queue.Drain()
	wg.Wait()
}

func (r *Reconciler) processNext(ctx context.Context) bool {
	key, ok := r.queue.Next()
	if !ok {
		return false
	}
	defer r.queue.Finish(key)
	if err := r.sync(ctx, key); err != nil {
		r.queue.Add(key)
	}
	return true
}

func (r *Reconciler) sync(ctx context.Context, key string) error {
	d, ok := r.store.get(key)
	if !ok {
		return r.backend.Remove(ctx, key)
	}
	return r.backend.Scale(ctx, key, d.Replicas)
}
