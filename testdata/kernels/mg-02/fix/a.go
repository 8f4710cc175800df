package a

import "sync"

type DeltaKind int

const (
	Upserted DeltaKind = iota
	Deleted
)

// Object is a watched resource; it is never modified once it was delivered.
type Object struct {
	Key     string
	Version uint64
}

type Delta struct {
	Kind DeltaKind
	Obj  *Object
}

type EventHandler func(d Delta)

// processorListener buffers the notifications for one handler and calls it in
// their order, from a goroutine that lives while there are any.
type processorListener struct {
	mu       sync.Mutex
	pending  []Delta
	draining bool
	handler  EventHandler
}

func newProcessorListener(h EventHandler) *processorListener {
	return &processorListener{handler: h}
}

func (l *processorListener) add(d Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, d)
	if !l.draining {
		l.draining = true
		go l.drain()
	}
}

func (l *processorListener) drain() {
	for {
		l.mu.Lock()
		batch := l.pending
		l.pending = nil
		if len(batch) == 0 {
			l.draining = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		for _, d := range batch {
			l.handler(d)
		}
	}
}

// sharedProcessor distributes notifications to all listeners.
type sharedProcessor struct {
	listenersLock sync.RWMutex
	listeners     []*processorListener
}

func (p *sharedProcessor) addListener(l *processorListener) {
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	p.listeners = append(p.listeners, l)
}

func (p *sharedProcessor) distribute(d Delta) {
	p.listenersLock.RLock()
	defer p.listenersLock.RUnlock()
	for _, l := range p.listeners {
		l.add(d)
	}
}

// indexer is the local store of the informer.
type indexer struct {
	mu    sync.RWMutex
	items map[string]*Object
}

func (i *indexer) apply(d Delta) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if d.Kind == Deleted {
		delete(i.items, d.Obj.Key)
		return
	}
	i.items[d.Obj.Key] = d.Obj
}

func (i *indexer) List() []*Object {
	i.mu.RLock()
	defer i.mu.RUnlock()
	out := make([]*Object, 0, len(i.items))
	for _, obj := range i.items {
		out = append(out, obj)
	}
	return out
}

type sharedIndexInformer struct {
	indexer   indexer
	processor sharedProcessor

	startedLock sync.Mutex
	started     bool

	// blockDeltas stops the distribution of deltas while it is held.
	blockDeltas sync.Mutex
}

func NewSharedIndexInformer() *sharedIndexInformer {
	s := &sharedIndexInformer{}
	s.indexer.items = make(map[string]*Object)
	return s
}

// Run consumes the deltas of the reflector until the channel is closed. It is
// called once.
func (s *sharedIndexInformer) Run(source <-chan Delta) {
	s.startedLock.Lock()
	s.started = true
	s.startedLock.Unlock()
	for d := range source {
		s.handleDelta(d)
	}
}

func (s *sharedIndexInformer) handleDelta(d Delta) {
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	s.indexer.apply(d)
	s.processor.distribute(d)
}

// AddEventHandler registers a handler. A handler that joins late first gets
// the present content of the store, then every later delta.
func (s *sharedIndexInformer) AddEventHandler(h EventHandler) {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	l := newProcessorListener(h)
	if !s.started {
		s.processor.addListener(l)
		return
	}
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	for _, obj := range s.indexer.List() {
		l.add(Delta{Kind: Upserted, Obj: obj})
	}
	s.processor.addListener(l)
}
