package cache

import (
	"context"
	"sync"
	"time"
)

// store is the local cache of the informer.
type store struct {
	mu    sync.RWMutex
	items map[string]interface{}
}

func (s *store) ListKeys() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := make([]string, 0, len(s.items))
	for k := range s.items {
		keys = append(keys, k)
	}
	return keys
}

func (s *store) GetByKey(key string) (interface{}, bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	obj, ok := s.items[key]
	return obj, ok, nil
}

func (s *store) set(key string, obj interface{}) {
	s.mu.Lock()
	s.items[key] = obj
	s.mu.Unlock()
}

func (s *store) remove(key string) {
	s.mu.Lock()
	delete(s.items, key)
	s.mu.Unlock()
}

type Handler interface {
	OnUpdate(key string, obj interface{})
	OnDelete(key string)
}

type Event struct {
	Type   DeltaType
	Object interface{}
}

// ListerWatcher talks to the server. The channel of a watch is closed when the
// connection is lost.
type ListerWatcher interface {
	List(ctx context.Context) ([]interface{}, string, error)
	Watch(ctx context.Context, resourceVersion string) (<-chan Event, error)
}

// Controller mirrors the objects of the server to a local store.
type Controller struct {
	lw      ListerWatcher
	queue   *DeltaFIFO
	store   *store
	handler Handler
	keyFunc KeyFunc
}

func NewController(lw ListerWatcher, keyFunc KeyFunc, h Handler) *Controller {
	s := &store{items: make(map[string]interface{})}
	return &Controller{lw: lw, queue: NewDeltaFIFO(keyFunc, s), store: s, handler: h, keyFunc: keyFunc}
}

// Run lists and watches until the context is done.
func (c *Controller) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		c.processLoop()
	}()
	for ctx.Err() == nil {
		c.listAndWatch(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	c.queue.Close()
	wg.Wait()
}

func (c *Controller) listAndWatch(ctx context.Context) {
	list, rv, err := c.lw.List(ctx)
	if err != nil {
		return
	}
	if err := c.queue.Replace(list, rv); err != nil {
		return
	}
	events, err := c.lw.Watch(ctx, rv)
	if err != nil {
		return
	}
	for ev := range events {
		switch ev.Type {
		case Added:
			c.queue.Add(ev.Object)
		case Updated:
			c.queue.Update(ev.Object)
		case Deleted:
			c.queue.Delete(ev.Object)
		}
	}
}

func (c *Controller) processLoop() {
	for {
		if _, err := c.queue.Pop(c.handleDeltas); err == ErrFIFOClosed {
			return
		}
	}
}

func (c *Controller) handleDeltas(deltas Deltas) error {
	// from oldest to newest
	for _, d := range deltas {
		key, err := c.queue.KeyOf(d.Object)
		if err != nil {
			return err
		}
		if d.Type == Deleted {
			c.store.remove(key)
			c.handler.OnDelete(key)
			continue
		}
		c.store.set(key, d.Object)
		c.handler.OnUpdate(key, d.Object)
	}
	return nil
}
