package cache

import "sync"

type object struct {
	Key     string
	Version int
}

// threadSafeMap implements the indexer.
type threadSafeMap struct {
	lock  sync.RWMutex
	items map[string]object
}

func (c *threadSafeMap) Update(obj object) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items[obj.Key] = obj
}

func (c *threadSafeMap) Delete(key string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.items, key)
}

func (c *threadSafeMap) Get(key string) (object, bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	obj, ok := c.items[key]
	return obj, ok
}

func (c *threadSafeMap) List() []object {
	c.lock.RLock()
	defer c.lock.RUnlock()
	list := make([]object, 0, len(c.items))
	for _, obj := range c.items {
		list = append(list, obj)
	}
	return list
}

type notification struct {
	oldObj, newObj *object
}

// sharedProcessor has a collection of listeners.
type sharedProcessor struct {
	listenersLock sync.RWMutex
	listeners     []chan notification
}

func (p *sharedProcessor) addListener(ch chan notification) {
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	p.listeners = append(p.listeners, ch)
}

func (p *sharedProcessor) distribute(n notification) {
	p.listenersLock.RLock()
	defer p.listenersLock.RUnlock()
	for _, ch := range p.listeners {
		ch <- n
	}
}

type delta struct {
	deleted bool
	obj     object
}

type sharedIndexInformer struct {
	indexer   *threadSafeMap
	processor *sharedProcessor
	deltas    chan delta

	// blockDeltas gives a way to stop all event distribution so that a late
	// event handler can safely join the shared informer.
	blockDeltas sync.Mutex
}

func NewSharedIndexInformer() *sharedIndexInformer {
	return &sharedIndexInformer{
		indexer:   &threadSafeMap{items: make(map[string]object)},
		processor: &sharedProcessor{},
		deltas:    make(chan delta, 100),
	}
}

// Run handles the deltas until stop is closed.
func (s *sharedIndexInformer) Run(stop <-chan struct{}) {
	for {
		select {
		case d := <-s.deltas:
			s.HandleDeltas(d)
		case <-stop:
			return
		}
	}
}

func (s *sharedIndexInformer) HandleDeltas(d delta) {
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	if d.deleted {
		s.indexer.Delete(d.obj.Key)
		s.processor.distribute(notification{oldObj: &d.obj})
		return
	}
	if old, exists := s.indexer.Get(d.obj.Key); exists {
		s.indexer.Update(d.obj)
		s.processor.distribute(notification{oldObj: &old, newObj: &d.obj})
	} else {
		s.indexer.Update(d.obj)
		s.processor.distribute(notification{newObj: &d.obj})
	}
}

// AddEventHandler adds a handler. In order to safely join, we have to stop
// sending notifications, do a list against the store, send synthetic "Add"
// events to the new handler and unblock.
func (s *sharedIndexInformer) AddEventHandler(f func(notification)) {
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	ch := make(chan notification, 1024)
	go func() {
		for n := range ch {
			f(n)
		}
	}()
	s.processor.addListener(ch)
	for _, item := range s.indexer.List() {
		ch <- notification{newObj: &item}
	}
}

// Lookup returns the object with the key.
func (s *sharedIndexInformer) Lookup(key string) (object, bool) {
	return s.indexer.Get(key)
}
