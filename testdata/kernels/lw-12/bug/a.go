package sharedwatch

import (
	"sync"
)

// Handler is told about changes, one at a time and in order.
type Handler interface {
	OnChange(key string, obj any)
}

type notice struct {
	key string
	obj any
}

// subscriber buffers notices for one handler.
type subscriber struct {
	handler Handler
	mu      sync.Mutex
	cond    *sync.Cond
	pending []notice
	stopped bool
}

func newSubscriber(h Handler) *subscriber {
	s := &subscriber{handler: h}
	s.cond = sync.NewCond(&s.mu)
	return s
}

func (s *subscriber) post(n notice) {
	s.mu.Lock()
	s.pending = append(s.pending, n)
	s.mu.Unlock()
	s.cond.Signal()
}

func (s *subscriber) halt() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cond.Broadcast()
}

// deliver is the delivery loop of the subscriber.
func (s *subscriber) deliver() {
	for {
		s.mu.Lock()
		for len(s.pending) == 0 && !s.stopped {
			s.cond.Wait()
		}
		if s.stopped {
			s.mu.Unlock()
			return
		}
		n := s.pending[0]
		s.pending = s.pending[1:]
		s.mu.Unlock()
		s.handler.OnChange(n.key, n.obj)
	}
}

// dispatcher fans notices out to the subscribers.
type dispatcher struct {
	subsLock sync.RWMutex
	subs     []*subscriber
	wg       sync.WaitGroup
}

func (d *dispatcher) addAndStart(s *subscriber) {
	d.subsLock.Lock()
	defer d.subsLock.Unlock()
	d.addLocked(s)
	d.wg.Go(s.deliver)
}

func (d *dispatcher) add(s *subscriber) {
	d.subsLock.Lock()
	defer d.subsLock.Unlock()
	d.addLocked(s)
}

func (d *dispatcher) addLocked(s *subscriber) {
	d.subs = append(d.subs, s)
}

func (d *dispatcher) publish(n notice) {
	d.subsLock.RLock()
	defer d.subsLock.RUnlock()
	for _, s := range d.subs {
		s.post(n)
	}
}

func (d *dispatcher) startAll() {
	d.subsLock.RLock()
	defer d.subsLock.RUnlock()
	for _, s := range d.subs {
		d.wg.Go(s.deliver)
	}
}

func (d *dispatcher) run(stop <-chan struct{}) {
	d.startAll()
	<-stop
	d.subsLock.RLock()
	defer d.subsLock.RUnlock()
	for _, s := range d.subs {
		s.halt()
	}
	d.wg.Wait()
}

// Watcher mirrors a remote collection and shares the changes.
type Watcher struct {
	startedLock      sync.Mutex
	started, stopped bool

	// pauseEvents is held while a change is stored and published.
	pauseEvents sync.Mutex
	cache       map[string]any
	dispatch    *dispatcher
}

// NewWatcher returns a watcher that does not run yet.
func NewWatcher() *Watcher {
	return &Watcher{cache: make(map[string]any), dispatch: &dispatcher{}}
}

// AddHandler may be called before and after Run.
func (w *Watcher) AddHandler(h Handler) {
	w.startedLock.Lock()
	defer w.startedLock.Unlock()
	if w.stopped {
		return
	}
	s := newSubscriber(h)
	if !w.started {
		w.dispatch.add(s)
		return
	}
	w.pauseEvents.Lock()
	defer w.pauseEvents.Unlock()
	w.dispatch.addAndStart(s)
	for k, obj := range w.cache {
		s.post(notice{key: k, obj: obj})
	}
}

// Run feeds the changes to the handlers until the channel is closed.
func (w *Watcher) Run(changes <-chan map[string]any) {
	w.startedLock.Lock()
	w.started = true
	w.startedLock.Unlock()

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { w.dispatch.run(stop) })
	defer wg.Wait()
	defer close(stop)
	defer func() {
		w.startedLock.Lock()
		defer w.startedLock.Unlock()
		w.stopped = true
	}()
	for delta := range changes {
		w.apply(delta)
	}
}

func (w *Watcher) apply(delta map[string]any) {
	w.pauseEvents.Lock()
	defer w.pauseEvents.Unlock()
	for k, obj := range delta {
		w.cache[k] = obj
		w.dispatch.publish(notice{key: k, obj: obj})
	}
}
