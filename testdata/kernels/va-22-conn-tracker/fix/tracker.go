package tracker

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

var ErrClosing = errors.New("tracker: server is closing")

type Tracker struct {
	closing atomic.Bool

	mu   sync.Mutex
	live map[net.Conn]struct{}
}

func (t *Tracker) Track(c net.Conn) (untrack func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing.Load() {
		return nil, ErrClosing
	}
	if t.live == nil {
		t.live = make(map[net.Conn]struct{})
	}
	t.live[c] = struct{}{}
	return func() { t.forget(c) }, nil
}

func (t *Tracker) forget(c net.Conn) {
	t.mu.Lock()
	delete(t.live, c)
	t.mu.Unlock()
}

func (t *Tracker) CloseAll() (n int) {
	if t.closing.Swap(true) {
		return 0
	}
	t.mu.Lock()
	all := t.live
	t.live = nil
	t.mu.Unlock()
	for c := range all {
		_ = c.Close()
		n++
	}
	return n
}

func (t *Tracker) Serve(l net.Listener, handle func(net.Conn)) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		done, err := t.Track(c)
		if err != nil {
			_ = c.Close()
			return err
		}
		go func() {
			defer c.Close()
			defer done()
			handle(c)
		}()
	}
}
