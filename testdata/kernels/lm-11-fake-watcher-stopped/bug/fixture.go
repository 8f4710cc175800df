package testing

import (
	"fmt"
	"sync"
)

type EventType string

const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
)

type Object interface {
	GetName() string
	GetNamespace() string
	DeepCopyObject() Object
}

// Event represents a single event to a watched resource.
type Event struct {
	Type   EventType
	Object Object
}

// Interface can be implemented by anything that knows how to watch and report changes.
type Interface interface {
	// Stops watching. Will close the channel returned by ResultChan().
	Stop()
	ResultChan() <-chan Event
}

// DefaultChanSize is the buffer of a watch.
const DefaultChanSize int32 = 100

// FakeWatcher lets you test anything that consumes a watch.Interface; threadsafe.
type FakeWatcher struct {
	result  chan Event
	stopped bool
	sync.Mutex
}

func NewFakeWithChanSize(size int32) *FakeWatcher {
	return &FakeWatcher{
		result: make(chan Event, size),
	}
}

// Stop implements Interface.Stop().
func (f *FakeWatcher) Stop() {
	f.Lock()
	defer f.Unlock()
	if !f.stopped {
		close(f.result)
		f.stopped = true
	}
}

func (f *FakeWatcher) IsStopped() bool {
	f.Lock()
	defer f.Unlock()
	return f.stopped
}

func (f *FakeWatcher) ResultChan() <-chan Event {
	f.Lock()
	defer f.Unlock()
	return f.result
}

// Add sends an add event.
func (f *FakeWatcher) Add(obj Object) {
	f.result <- Event{Added, obj}
}

// Modify sends a modify event.
func (f *FakeWatcher) Modify(obj Object) {
	f.result <- Event{Modified, obj}
}

// Delete sends a delete event.
func (f *FakeWatcher) Delete(obj Object) {
	f.result <- Event{Deleted, obj}
}

type ObjectTracker interface {
	Get(gvr, ns, name string) (Object, error)
	Create(gvr string, obj Object, ns string) error
	Update(gvr string, obj Object, ns string) error
	Delete(gvr, ns, name string) error
	Watch(gvr, ns string) (Interface, error)
}

type tracker struct {
	lock     sync.RWMutex
	objects  map[string][]Object
	watchers map[string]map[string][]*FakeWatcher
}

var _ ObjectTracker = &tracker{}

func NewObjectTracker() ObjectTracker {
	return &tracker{
		objects:  make(map[string][]Object),
		watchers: make(map[string]map[string][]*FakeWatcher),
	}
}

func (t *tracker) Watch(gvr, ns string) (Interface, error) {
	t.lock.Lock()
	defer t.lock.Unlock()

	fakewatcher := NewFakeWithChanSize(DefaultChanSize)

	if _, exists := t.watchers[gvr]; !exists {
		t.watchers[gvr] = make(map[string][]*FakeWatcher)
	}
	t.watchers[gvr][ns] = append(t.watchers[gvr][ns], fakewatcher)
	return fakewatcher, nil
}

func (t *tracker) Get(gvr, ns, name string) (Object, error) {
	t.lock.RLock()
	defer t.lock.RUnlock()

	for _, obj := range t.objects[gvr] {
		if obj.GetName() == name && obj.GetNamespace() == ns {
			return obj.DeepCopyObject(), nil
		}
	}
	return nil, fmt.Errorf("%s %q not found", gvr, name)
}

func (t *tracker) Create(gvr string, obj Object, ns string) error {
	return t.add(gvr, obj, ns, false)
}

func (t *tracker) Update(gvr string, obj Object, ns string) error {
	return t.add(gvr, obj, ns, true)
}

func (t *tracker) getWatches(gvr, ns string) []*FakeWatcher {
	watches := []*FakeWatcher{}
	if t.watchers[gvr] != nil {
		if w := t.watchers[gvr][ns]; w != nil {
			watches = append(watches, w...)
		}
		if ns != "" {
			if w := t.watchers[gvr][""]; w != nil {
				watches = append(watches, w...)
			}
		}
	}
	return watches
}

func (t *tracker) add(gvr string, obj Object, ns string, replaceExisting bool) error {
	t.lock.Lock()
	defer t.lock.Unlock()

	obj = obj.DeepCopyObject()

	for i, existingObj := range t.objects[gvr] {
		if existingObj.GetNamespace() != ns || existingObj.GetName() != obj.GetName() {
			continue
		}
		if !replaceExisting {
			return fmt.Errorf("%s %q already exists", gvr, obj.GetName())
		}
		for _, w := range t.getWatches(gvr, ns) {
			w.Modify(obj)
		}
		t.objects[gvr][i] = obj
		return nil
	}

	if replaceExisting {
		// Tried to update but no matching object was found.
		return fmt.Errorf("%s %q not found", gvr, obj.GetName())
	}

	t.objects[gvr] = append(t.objects[gvr], obj)
	for _, w := range t.getWatches(gvr, ns) {
		w.Add(obj)
	}
	return nil
}

func (t *tracker) Delete(gvr, ns, name string) error {
	t.lock.Lock()
	defer t.lock.Unlock()

	for i, existingObj := range t.objects[gvr] {
		if existingObj.GetNamespace() == ns && existingObj.GetName() == name {
			t.objects[gvr] = append(t.objects[gvr][:i], t.objects[gvr][i+1:]...)
			for _, w := range t.getWatches(gvr, ns) {
				w.Delete(existingObj)
			}
			return nil
		}
	}
	return fmt.Errorf("%s %q not found", gvr, name)
}

// watchUntil is what a controller does with the watch: it stops it as soon as
// it has seen what it wanted.
func watchUntil(t ObjectTracker, gvr, ns string, cond func(Event) bool) error {
	w, err := t.Watch(gvr, ns)
	if err != nil {
		return err
	}
	defer w.Stop()
	for ev := range w.ResultChan() {
		if cond(ev) {
			return nil
		}
	}
	return nil
}

var _ = watchUntil
