package stock

import "sync"

// publisher calls watchers from its own goroutine.
type publisher struct {
	updates chan []Change
	done    chan struct{}

	mu       sync.Mutex
	watchers map[int]func([]Change)
	nextID   int
}

func newPublisher() *publisher {
	p := &publisher{
		updates:  make(chan []Change, 64),
		done:     make(chan struct{}),
		watchers: make(map[int]func([]Change)),
	}
	go p.run()
	return p
}

func (p *publisher) add(fn func([]Change)) (cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := p.nextID
	p.nextID++
	p.watchers[id] = fn
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watchers, id)
	}
}

// publish queues changes. They belong to the publisher from now on.
func (p *publisher) publish(changes []Change) {
	p.updates <- changes
}

func (p *publisher) run() {
	defer close(p.done)
	for changes := range p.updates {
		for _, fn := range p.snapshot() {
			fn(changes)
		}
	}
}

// snapshot returns the watchers. A watcher may be called once more when it was
// cancelled in the meantime.
func (p *publisher) snapshot() []func([]Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fns := make([]func([]Change), 0, len(p.watchers))
	for _, fn := range p.watchers {
		fns = append(fns, fn)
	}
	return fns
}

// close ends the publisher after the updates that are queued.
func (p *publisher) close() {
	close(p.updates)
	<-p.done
}
