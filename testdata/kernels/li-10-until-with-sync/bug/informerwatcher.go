package watch

import (
	"log"
	"sync"
	"time"
)

// ListerWatcher is any object that knows how to perform an initial list and
// start a watch on a resource. Clients need not be safe for concurrent use.
type ListerWatcher interface {
	List() ([]Object, error)
	Watch(version int64) (Watcher, error)
}

// ResourceEventHandler handles notifications for events that happen to a resource.
type ResourceEventHandler struct {
	AddFunc    func(obj Object)
	UpdateFunc func(obj Object)
	DeleteFunc func(obj Object)
}

// Indexer holds the objects that the informer has seen.
type Indexer struct {
	lock  sync.RWMutex
	items map[string]Object
}

// Get returns the object with the given name.
func (i *Indexer) Get(name string) (Object, bool) {
	i.lock.RLock()
	defer i.lock.RUnlock()
	obj, ok := i.items[name]
	return obj, ok
}

func (i *Indexer) set(obj Object) (existed bool) {
	i.lock.Lock()
	defer i.lock.Unlock()
	_, existed = i.items[obj.GetName()]
	i.items[obj.GetName()] = obj
	return existed
}

func (i *Indexer) delete(name string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	delete(i.items, name)
}

// Informer keeps an Indexer in line with a resource.
type Informer struct {
	lw      ListerWatcher
	indexer *Indexer
	handler ResourceEventHandler

	lock   sync.Mutex
	synced bool
}

func newIndexerInformer(lw ListerWatcher, h ResourceEventHandler) (*Indexer, *Informer) {
	indexer := &Indexer{items: map[string]Object{}}
	return indexer, &Informer{lw: lw, indexer: indexer, handler: h}
}

// HasSynced returns true if the initial list has been handled.
func (i *Informer) HasSynced() bool {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.synced
}

// Run lists and watches until stopCh is closed.
func (i *Informer) Run(stopCh <-chan struct{}) {
	for {
		if err := i.listAndWatch(stopCh); err != nil {
			log.Printf("failed to list and watch: %v", err)
		}
		select {
		case <-stopCh:
			return
		case <-time.After(time.Second):
		}
	}
}

func (i *Informer) listAndWatch(stopCh <-chan struct{}) error {
	list, err := i.lw.List()
	if err != nil {
		return err
	}
	var version int64
	for _, obj := range list {
		version = max(version, obj.GetVersion())
		i.apply(obj)
	}
	i.lock.Lock()
	i.synced = true
	i.lock.Unlock()

	w, err := i.lw.Watch(version)
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-stopCh:
			return nil
		case ev, ok := <-w.ResultChan():
			if !ok {
				return nil
			}
			if ev.Type == Deleted {
				i.indexer.delete(ev.Object.GetName())
				i.handler.DeleteFunc(ev.Object)
				continue
			}
			i.apply(ev.Object)
		}
	}
}

func (i *Informer) apply(obj Object) {
	if i.indexer.set(obj) {
		i.handler.UpdateFunc(obj)
	} else {
		i.handler.AddFunc(obj)
	}
}

// NewIndexerInformerWatcher will create an IndexerInformer and wrap it into a Watcher
// so you can use it anywhere where you'd have used a regular Watcher returned from Watch method.
func NewIndexerInformerWatcher(lw ListerWatcher) (*Indexer, *Informer, Watcher) {
	ch := make(chan Event)
	w := NewProxyWatcher(ch)

	send := func(t EventType) func(obj Object) {
		return func(obj Object) {
			select {
			case ch <- Event{Type: t, Object: obj}:
			case <-w.StopChan():
			}
		}
	}
	indexer, informer := newIndexerInformer(lw, ResourceEventHandler{
		AddFunc:    send(Added),
		UpdateFunc: send(Modified),
		DeleteFunc: send(Deleted),
	})

	go func() {
		informer.Run(w.StopChan())
	}()

	return indexer, informer, w
}
