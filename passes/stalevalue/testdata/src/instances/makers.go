package instances

import "sync"

// A link is made by whoever accepts or dials, and read by one goroutine.
type link struct {
	hub  *linkHub
	mu   sync.Mutex
	seen int
	sent int
}

type linkHub struct {
	mu    sync.Mutex
	links map[*link]bool
	total int
}

func newLinkHub() *linkHub { return &linkHub{links: make(map[*link]bool)} }

func (h *linkHub) add(l *link) {
	h.mu.Lock()
	h.links[l] = true
	h.mu.Unlock()
}

// Accept makes another link than Dial: no two goroutines read one link.
func (h *linkHub) Accept(next func() int) {
	l := &link{hub: h}
	h.add(l)
	go l.read(next)
	go l.write(next)
}

// Dial starts the same goroutine for a link of its own.
func (h *linkHub) Dial(next func() int) {
	l := &link{hub: h, seen: 1}
	h.add(l)
	go l.read(next)
	go l.send(next)
}

func (l *link) last() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

func (l *link) read(next func() int) {
	for {
		n := l.last() + next()
		l.mu.Lock()
		l.seen = n
		l.mu.Unlock()
		l.count(n)
	}
}

// count writes what all links share.
func (l *link) count(n int) {
	l.hub.mu.Lock()
	t := l.hub.total
	l.hub.mu.Unlock()
	l.hub.mu.Lock()
	l.hub.total = t + n // want `lost-update: l\.hub\.total was read`
	l.hub.mu.Unlock()
}

// write runs beside send, for another link.
func (l *link) write(next func() int) {
	l.mu.Lock()
	n := l.sent
	l.mu.Unlock()
	n += next()
	l.mu.Lock()
	l.sent = n
	l.mu.Unlock()
}

func (l *link) send(next func() int) { l.write(next) }

// A pair of goroutines gets one relay from one function.
type relay struct {
	mu   sync.Mutex
	seen int
}

func (h *linkHub) Relay(next func() int) {
	r := &relay{}
	go r.up(next)
	go r.down(next)
}

func (r *relay) up(next func() int)   { r.shift(next) }
func (r *relay) down(next func() int) { r.shift(next) }

func (r *relay) shift(next func() int) {
	r.mu.Lock()
	n := r.seen
	r.mu.Unlock()
	n += next()
	r.mu.Lock()
	r.seen = n // want `lost-update: r\.seen was read`
	r.mu.Unlock()
}
