package xdsclient

import (
	"sync"
	"time"
)

// clientImpl is the xDS client. Authorities are shared by the watches of the
// same server.
type clientImpl struct {
	serializer         serializer
	dial               dialFunc
	watchExpiryTimeout time.Duration

	authorityMu sync.Mutex
	closed      bool
	authorities map[string]*authority
}

// WatchResource registers the watcher and returns a function to cancel the
// watch.
func (c *clientImpl) WatchResource(serverURI, name string, watcher ResourceWatcher) (func(), error) {
	a, unref, err := c.findAuthority(serverURI)
	if err != nil {
		return nil, err
	}
	cancel := a.watchResource(name, watcher)
	return func() {
		cancel()
		unref()
	}, nil
}

func (c *clientImpl) findAuthority(serverURI string) (*authority, func(), error) {
	c.authorityMu.Lock()
	defer c.authorityMu.Unlock()
	if c.closed {
		return nil, nil, errClientClosed
	}
	a, ok := c.authorities[serverURI]
	if !ok {
		var err error
		a, err = newAuthority(serverURI, c.serializer, c.dial, c.watchExpiryTimeout)
		if err != nil {
			return nil, nil, err
		}
		c.authorities[serverURI] = a
	}
	// Note that this must be done while c.authorityMu is held, to avoid the
	// race that an authority is returned, but before the watch starts, the
	// old last watch is canceled (in another goroutine), causing this
	// authority to be removed, and then a watch will start on a removed
	// authority.
	a.refLocked()
	return a, func() { c.unrefAuthority(a) }, nil
}

func (c *clientImpl) unrefAuthority(a *authority) {
	c.authorityMu.Lock()
	defer c.authorityMu.Unlock()
	if a.unrefLocked() > 0 || c.authorities[a.serverURI] != a {
		return
	}
	delete(c.authorities, a.serverURI)
	a.close()
}

// Close closes the client. The watches need not have been canceled.
func (c *clientImpl) Close() {
	c.authorityMu.Lock()
	defer c.authorityMu.Unlock()
	c.closed = true
	for uri, a := range c.authorities {
		delete(c.authorities, uri)
		a.close()
	}
}

type stream interface {
	Send(names []string) error
	Recv() (map[string]string, error)
	Close() error
}

type dialFunc func(serverURI string) (stream, error)

// transport keeps the stream to the management server.
type transport struct {
	stream   stream
	requests chan []string
	done     chan struct{}
	stop     sync.Once
	wg       sync.WaitGroup

	onRecv  func(map[string]string)
	onError func(error)
	onSend  func([]string)
}

func newTransport(serverURI string, dial dialFunc, onRecv func(map[string]string), onError func(error), onSend func([]string)) (*transport, error) {
	s, err := dial(serverURI)
	if err != nil {
		return nil, err
	}
	t := &transport{
		stream:   s,
		requests: make(chan []string, 64),
		done:     make(chan struct{}),
		onRecv:   onRecv,
		onError:  onError,
		onSend:   onSend,
	}
	t.wg.Add(2)
	go t.send()
	go t.recv()
	return t, nil
}

func (t *transport) SendRequest(names []string) {
	select {
	case t.requests <- names:
	case <-t.done:
	}
}

func (t *transport) send() {
	defer t.wg.Done()
	for {
		select {
		case <-t.done:
			return
		case names := <-t.requests:
			if err := t.stream.Send(names); err != nil {
				t.onError(err)
				continue
			}
			t.onSend(names)
		}
	}
}

func (t *transport) recv() {
	defer t.wg.Done()
	for {
		updates, err := t.stream.Recv()
		if err != nil {
			select {
			case <-t.done:
			default:
				t.onError(err)
			}
			return
		}
		t.onRecv(updates)
	}
}

// Close closes the stream and waits for the goroutines of the transport.
func (t *transport) Close() {
	t.stop.Do(func() {
		close(t.done)
		t.stream.Close()
	})
	t.wg.Wait()
}
