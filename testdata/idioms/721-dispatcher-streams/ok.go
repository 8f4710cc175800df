package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is returned when the upstream is closed.
var ErrClosed = errors.New("upstream: closed")

// Link is one multiplexed connection to the upstream.
type Link interface {
	Send(stream uint32, payload []byte) error
	Recv() (stream uint32, payload []byte, err error)
	Close() error
}

type call struct {
	payload []byte
	reply   chan result
}

type result struct {
	payload []byte
	err     error
}

type link struct {
	raw Link
	max int

	mu      sync.Mutex
	next    uint32
	streams map[uint32]*call
	err     error
}

func (l *link) hasRoom() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err == nil && len(l.streams) < l.max
}

func (l *link) open(c *call) (uint32, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	l.next++
	l.streams[l.next] = c
	return l.next, nil
}

func (l *link) take(id uint32) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.streams[id]
	delete(l.streams, id)
	return c
}

func (l *link) fail(err error) {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	calls := l.streams
	l.streams = make(map[uint32]*call)
	l.mu.Unlock()
	for _, c := range calls {
		c.reply <- result{err: err}
	}
}

// Upstream sends calls over a fixed set of links.
type Upstream struct {
	calls chan *call
	freed chan struct{}
	done  chan struct{}
	links []*link
}

// Start serves the links until ctx is done.
func Start(ctx context.Context, raw []Link, maxStreams int) *Upstream {
	u := &Upstream{
		calls: make(chan *call),
		freed: make(chan struct{}, 1),
		done:  make(chan struct{}),
	}
	for _, r := range raw {
		l := &link{raw: r, max: maxStreams, streams: make(map[uint32]*call)}
		u.links = append(u.links, l)
		go u.readLoop(l)
	}
	go u.dispatch(ctx)
	return u
}

func (u *Upstream) readLoop(l *link) {
	for {
		id, payload, err := l.raw.Recv()
		if err != nil {
			l.fail(fmt.Errorf("upstream: link: %w", err))
			u.wake()
			return
		}
		if c := l.take(id); c != nil {
			c.reply <- result{payload: payload}
			u.wake()
		}
	}
}

func (u *Upstream) wake() {
	select {
	case u.freed <- struct{}{}:
	default:
	}
}

func (u *Upstream) pick() *link {
	for _, l := range u.links {
		if l.hasRoom() {
			return l
		}
	}
	return nil
}

func (u *Upstream) dispatch(ctx context.Context) {
	defer func() {
		close(u.done)
		for _, l := range u.links {
			l.raw.Close()
		}
	}()
	for {
		select {
		case c := <-u.calls:
			l := u.pick()
			for l == nil {
				select {
				case <-u.freed:
					l = u.pick()
				case <-ctx.Done():
					c.reply <- result{err: ErrClosed}
					return
				}
			}
			id, err := l.open(c)
			if err != nil {
				c.reply <- result{err: err}
				continue
			}
			if err := l.raw.Send(id, c.payload); err != nil {
				l.raw.Close()
				if l.take(id) != nil {
					c.reply <- result{err: err}
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// Call sends payload and waits for the reply.
func (u *Upstream) Call(ctx context.Context, payload []byte) ([]byte, error) {
	c := &call{payload: payload, reply: make(chan result, 1)}
	select {
	case u.calls <- c:
	case <-u.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-c.reply:
		return r.payload, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
