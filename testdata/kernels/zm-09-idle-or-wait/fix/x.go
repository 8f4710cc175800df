package fix

import (
	"context"
	"slices"
	"sync"
)

// Link is an open connection to a backend.
type Link struct {
	Zone string
	ID   int
}

type want struct {
	ready chan *Link
}

// Links lends a fixed set of links, each to one user at a time.
type Links struct {
	idleMu sync.Mutex
	idle   map[string][]*Link

	waitMu sync.Mutex
	wants  map[string][]*want
}

func NewLinks(ls []*Link) *Links {
	p := &Links{idle: make(map[string][]*Link), wants: make(map[string][]*want)}
	for _, l := range ls {
		p.idle[l.Zone] = append(p.idle[l.Zone], l)
	}
	return p
}

func (p *Links) popIdle(zone string) *Link {
	p.idleMu.Lock()
	defer p.idleMu.Unlock()
	ls := p.idle[zone]
	if len(ls) == 0 {
		return nil
	}
	l := ls[len(ls)-1]
	p.idle[zone] = ls[:len(ls)-1]
	return l
}

func (p *Links) pushIdle(l *Link) {
	p.idleMu.Lock()
	defer p.idleMu.Unlock()
	p.idle[l.Zone] = append(p.idle[l.Zone], l)
}

// queue lines up for a link, unless there is one after all.
func (p *Links) queue(zone string) (*want, *Link) {
	p.waitMu.Lock()
	defer p.waitMu.Unlock()
	if l := p.popIdle(zone); l != nil {
		return nil, l
	}
	w := &want{ready: make(chan *Link, 1)}
	p.wants[zone] = append(p.wants[zone], w)
	return w, nil
}

// serve gives the link to the one who has waited longest; waitMu is held.
func (p *Links) serve(l *Link) bool {
	ws := p.wants[l.Zone]
	if len(ws) == 0 {
		return false
	}
	p.wants[l.Zone] = ws[1:]
	ws[0].ready <- l
	return true
}

// giveUp takes w out of the queue; it is false if w has been served.
func (p *Links) giveUp(zone string, w *want) bool {
	p.waitMu.Lock()
	defer p.waitMu.Unlock()
	i := slices.Index(p.wants[zone], w)
	if i < 0 {
		return false
	}
	p.wants[zone] = slices.Delete(p.wants[zone], i, i+1)
	return true
}

// Get lends a link to the zone, waiting for one if all are in use.
func (p *Links) Get(ctx context.Context, zone string) (*Link, error) {
	w, l := p.queue(zone)
	if l != nil {
		return l, nil
	}
	select {
	case l := <-w.ready:
		return l, nil
	case <-ctx.Done():
		if !p.giveUp(zone, w) {
			p.Put(<-w.ready)
		}
		return nil, ctx.Err()
	}
}

// Put gives a link back.
func (p *Links) Put(l *Link) {
	p.waitMu.Lock()
	defer p.waitMu.Unlock()
	if p.serve(l) {
		return
	}
	p.pushIdle(l)
}
