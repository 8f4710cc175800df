// Package fix is a fake API server and a reflector that follows it.
package fix

import (
	"context"
	"sync"
)

// Object is a stored object.
type Object struct {
	Name string
	Data string
}

// Event tells of a change.
type Event struct {
	Type   string
	Object Object
}

// Watcher receives events. Stop may be called once.
type Watcher struct {
	mu      sync.Mutex
	ch      chan Event
	stopped bool
}

func newWatcher() *Watcher { return &Watcher{ch: make(chan Event, 100)} }

// ResultChan returns the events.
func (w *Watcher) ResultChan() <-chan Event { return w.ch }

func (w *Watcher) send(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		select {
		case w.ch <- e:
		default:
			panic("channel full")
		}
	}
}

// Stop ends the watch.
func (w *Watcher) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.stopped = true
		close(w.ch)
	}
}

// ListerWatcher lists and watches one resource.
type ListerWatcher interface {
	List() (objs []Object, resourceVersion int64)
	Watch(resourceVersion int64) *Watcher
}

// versionedObject stores an object together with the resource version that was
// assigned to it by the tracker.
type versionedObject struct {
	resourceVersion int64
	Object
}

type tracker struct {
	lock     sync.RWMutex
	objects  map[string]versionedObject
	watchers []*Watcher
	// resourceVersion is the highest resource version of any tracked object.
	resourceVersion int64
}

func newTracker() *tracker {
	return &tracker{objects: make(map[string]versionedObject)}
}

// List implements ListerWatcher.
func (t *tracker) List() ([]Object, int64) {
	t.lock.RLock()
	defer t.lock.RUnlock()
	objs := make([]Object, 0, len(t.objects))
	for _, obj := range t.objects {
		objs = append(objs, obj.Object)
	}
	return objs, t.resourceVersion
}

// Watch implements ListerWatcher.
func (t *tracker) Watch(resourceVersion int64) *Watcher {
	t.lock.Lock()
	defer t.lock.Unlock()

	w := newWatcher()
	t.watchers = append(t.watchers, w)

	// Deliver all objects that were stored between the initial List and the
	// following Watch.
	for _, obj := range t.objects {
		if resourceVersion < obj.resourceVersion {
			w.send(Event{"ADDED", obj.Object})
		}
	}
	return w
}

// Add stores an object and tells the watchers.
func (t *tracker) Add(obj Object) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.resourceVersion++
	t.objects[obj.Name] = versionedObject{t.resourceVersion, obj}
	for _, w := range t.watchers {
		w.send(Event{"ADDED", obj})
	}
}

// Store is the cache filled by a reflector.
type Store struct {
	mu     sync.RWMutex
	items  map[string]Object
	synced bool
}

// Replace replaces all items.
func (s *Store) Replace(objs []Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = make(map[string]Object, len(objs))
	for _, o := range objs {
		s.items[o.Name] = o
	}
	s.synced = true
}

// Add adds or replaces one item.
func (s *Store) Add(o Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[o.Name] = o
}

// HasSynced tells whether the first list has arrived.
func (s *Store) HasSynced() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.synced
}

// Reflector keeps a store equal to a resource.
type Reflector struct {
	listerWatcher ListerWatcher
	store         *Store
}

// ListAndWatch first lists all items and then watches for changes. It runs on
// one goroutine.
func (r *Reflector) ListAndWatch(ctx context.Context) {
	objs, resourceVersion := r.listerWatcher.List()
	r.store.Replace(objs)
	if ctx.Err() != nil {
		return
	}
	w := r.listerWatcher.Watch(resourceVersion)
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.ResultChan():
			if !ok {
				return
			}
			r.store.Add(e.Object)
		}
	}
}

// newInformer follows a tracker until ctx ends.
func newInformer(ctx context.Context, t *tracker) *Store {
	r := &Reflector{listerWatcher: t, store: &Store{items: make(map[string]Object)}}
	go r.ListAndWatch(ctx)
	return r.store
}
