// Package fix keeps a client on one of several endpoints.
package fix

import "sync"

// Pinner tells the dialer which addresses it may connect to and pins the
// first one that is up.
type Pinner struct {
	notifyCh chan []string

	readyc    chan struct{}
	readyOnce sync.Once

	mu     sync.RWMutex
	addrs  []string
	upc    chan struct{}
	downc  chan struct{}
	pinned string
	closed bool

	stopc    chan struct{}
	donec    chan struct{}
	changedc chan struct{}
}

// NewPinner returns a pinner for the endpoints.
func NewPinner(eps []string) *Pinner {
	p := &Pinner{
		addrs:    append([]string(nil), eps...),
		notifyCh: make(chan []string, 1),
		readyc:   make(chan struct{}),
		upc:      make(chan struct{}),
		downc:    make(chan struct{}),
		stopc:    make(chan struct{}),
		donec:    make(chan struct{}),
		changedc: make(chan struct{}, 1),
	}
	close(p.downc)
	go p.watch()
	return p
}

// Notify returns the channel the dialer reads.
func (p *Pinner) Notify() <-chan []string { return p.notifyCh }

// Ready is closed when the first connection is up.
func (p *Pinner) Ready() <-chan struct{} { return p.readyc }

func contains(addrs []string, a string) bool {
	for _, x := range addrs {
		if x == a {
			return true
		}
	}
	return false
}

// Update replaces the endpoints.
func (p *Pinner) Update(eps []string) {
	addrs := append([]string(nil), eps...)
	p.mu.Lock()
	p.addrs = addrs
	update := !contains(addrs, p.pinned)
	p.mu.Unlock()
	if update {
		select {
		case p.changedc <- struct{}{}:
		case <-p.stopc:
		}
	}
}

func (p *Pinner) watch() {
	defer close(p.donec)
	for {
		p.mu.RLock()
		upc, downc, addr := p.upc, p.downc, p.pinned
		p.mu.RUnlock()
		if addr == "" {
			p.announce()
			select {
			case <-upc:
			case <-p.changedc:
				p.announce()
			case <-p.stopc:
				return
			}
			continue
		}
		select {
		case p.notifyCh <- []string{addr}:
		case <-downc:
		case <-p.stopc:
			return
		}
		select {
		case <-downc:
		case <-p.changedc:
		case <-p.stopc:
			return
		}
		p.announce()
	}
}

func (p *Pinner) announce() {
	p.mu.RLock()
	addrs := p.addrs
	p.mu.RUnlock()
	select {
	case p.notifyCh <- addrs:
	case <-p.stopc:
	}
}

// Up is called by the dialer; the returned function when the connection is lost.
func (p *Pinner) Up(addr string) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !contains(p.addrs, addr) || p.pinned != "" {
		return func() {}
	}
	close(p.upc)
	p.downc = make(chan struct{})
	p.pinned = addr
	p.readyOnce.Do(func() { close(p.readyc) })
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.closed {
			return
		}
		p.upc = make(chan struct{})
		close(p.downc)
		p.pinned = ""
	}
}

// Pinned returns the pinned address.
func (p *Pinner) Pinned() (string, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.pinned, p.pinned != ""
}

// Close stops the pinner.
func (p *Pinner) Close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	p.mu.Unlock()
	close(p.stopc)
	<-p.donec
}
