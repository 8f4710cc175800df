// Package fix distributes changes of an index to handlers that may join at any time.
package fix

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var errEnded = errors.New("feed has ended")

// Object is an entry of the index.
type Object struct {
	Name string
	Rev  int64
}

// Handler receives objects.
type Handler func(o Object, initial bool)

type note struct {
	obj     Object
	initial bool
}

type listener struct {
	handle   Handler
	add      chan note
	next     chan note
	done     chan struct{}
	upstream <-chan struct{}
	synced   chan struct{}
	waiting  atomic.Int64
}

// Synced is closed when the source is synced.
func (l *listener) Synced() <-chan struct{} { return l.synced }

// HasSynced tells whether the source is synced and the handler has seen
// the objects that were there when it joined.
func (l *listener) HasSynced() bool {
	select {
	case <-l.synced:
		return l.waiting.Load() == 0
	default:
		return false
	}
}

func (l *listener) pop() {
	defer close(l.next)
	defer close(l.done)
	var queue []note
	for {
		var next chan note
		var head note
		if len(queue) > 0 {
			next, head = l.next, queue[0]
		}
		select {
		case next <- head:
			queue = queue[1:]
		case n, ok := <-l.add:
			if !ok {
				return
			}
			queue = append(queue, n)
		}
	}
}

func (l *listener) run() {
	for n := range l.next {
		l.handle(n.obj, n.initial)
		if n.initial {
			l.waiting.Add(-1)
		}
	}
}

func (l *listener) watchSynced() {
	select {
	case <-l.upstream:
		close(l.synced)
	case <-l.done:
	}
}

type processor struct {
	mu        sync.RWMutex
	started   bool
	listeners map[*listener]struct{}
	wg        sync.WaitGroup
}

func (p *processor) addListener(l *listener) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners[l] = struct{}{}
	if p.started {
		p.wg.Go(l.run)
		p.wg.Go(l.pop)
	}
	return p.started
}

func (p *processor) distribute(n note) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if !p.started {
		return
	}
	for l := range p.listeners {
		l.add <- n
	}
}

func (p *processor) run(ready chan<- struct{}, stop <-chan struct{}) {
	p.mu.Lock()
	for l := range p.listeners {
		p.wg.Go(l.watchSynced)
		p.wg.Go(l.run)
		p.wg.Go(l.pop)
	}
	p.started = true
	p.mu.Unlock()
	close(ready)
	<-stop

	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.listeners {
		close(l.add)
	}
	p.listeners = nil
	p.started = false
	p.wg.Wait()
}

// Feed follows a source.
type Feed struct {
	startMu sync.Mutex
	started bool
	stopped bool

	block  sync.Mutex
	index  map[string]Object
	proc   *processor
	synced chan struct{}
}

// NewFeed returns a feed that does not run yet.
func NewFeed() *Feed {
	return &Feed{
		index:  make(map[string]Object),
		proc:   &processor{listeners: make(map[*listener]struct{})},
		synced: make(chan struct{}),
	}
}

// Run follows the source until ctx is done; it is called once. A nil object
// marks the end of the first list.
func (f *Feed) Run(ctx context.Context, source <-chan *Object) {
	f.startMu.Lock()
	if f.started {
		f.startMu.Unlock()
		return
	}
	f.started = true
	f.startMu.Unlock()

	ready, stop := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { f.proc.run(ready, stop) })
	defer wg.Wait()
	defer close(stop)
	defer func() {
		f.startMu.Lock()
		defer f.startMu.Unlock()
		f.stopped = true
	}()
	<-ready

	for {
		select {
		case o := <-source:
			if o == nil {
				close(f.synced)
				continue
			}
			f.apply(*o)
		case <-ctx.Done():
			return
		}
	}
}

func (f *Feed) apply(o Object) {
	f.block.Lock()
	defer f.block.Unlock()
	if old, ok := f.index[o.Name]; ok && old.Rev >= o.Rev {
		return
	}
	f.index[o.Name] = o
	f.proc.distribute(note{obj: o})
}

// AddHandler adds a handler, which sees all objects that are known already.
func (f *Feed) AddHandler(h Handler) (*listener, error) {
	f.startMu.Lock()
	defer f.startMu.Unlock()
	if f.stopped {
		return nil, errEnded
	}
	l := &listener{
		handle:   h,
		add:      make(chan note),
		next:     make(chan note),
		done:     make(chan struct{}),
		upstream: f.synced,
		synced:   make(chan struct{}),
	}
	if !f.started {
		f.proc.addListener(l)
		return l, nil
	}

	f.block.Lock()
	defer f.block.Unlock()
	l.waiting.Store(int64(len(f.index)))
	started := f.proc.addListener(l)
	for _, o := range f.index {
		l.add <- note{o, true}
	}
	if started {
		f.proc.wg.Go(l.watchSynced)
	}
	return l, nil
}
