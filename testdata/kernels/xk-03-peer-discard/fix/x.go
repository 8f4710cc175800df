// Package fix shares one link per remote address among all callers.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrTransport = errors.New("transport failed")
	ErrShutdown  = errors.New("directory shut down")
)

// Peer is an established link to a remote process. It is safe for use by
// several goroutines; Close fails the calls under way with ErrTransport.
type Peer interface {
	Invoke(ctx context.Context, method string, req []byte) ([]byte, error)
	Close() error
}

type Dialer func(ctx context.Context, addr string) (Peer, error)

type link struct {
	Peer
	addr string
}

// Directory finds peers by address.
type Directory struct {
	dial Dialer

	mu    sync.Mutex
	links map[string]*link
	down  bool
}

func NewDirectory(dial Dialer) *Directory {
	return &Directory{dial: dial, links: make(map[string]*link)}
}

// Call invokes method at addr over the shared link.
func (d *Directory) Call(ctx context.Context, addr, method string, req []byte) ([]byte, error) {
	l, err := d.connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	resp, err := l.Invoke(ctx, method, req)
	if err != nil {
		if errors.Is(err, ErrTransport) {
			d.discard(l)
		}
		return nil, fmt.Errorf("%s at %s: %w", method, addr, err)
	}
	return resp, nil
}

func (d *Directory) connect(ctx context.Context, addr string) (*link, error) {
	d.mu.Lock()
	l, ok := d.links[addr]
	down := d.down
	d.mu.Unlock()
	if down {
		return nil, ErrShutdown
	}
	if ok {
		return l, nil
	}

	p, err := d.dial(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", addr, err)
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		p.Close()
		return nil, ErrShutdown
	}
	if cur, ok := d.links[addr]; ok {
		p.Close()
		return cur, nil
	}
	l = &link{Peer: p, addr: addr}
	d.links[addr] = l
	return l, nil
}

// discard closes l, if it is still the link in use; the next call dials again.
func (d *Directory) discard(l *link) {
	d.mu.Lock()
	ok := d.links[l.addr] == l
	if ok {
		delete(d.links, l.addr)
	}
	d.mu.Unlock()
	if ok {
		l.Close()
	}
}

// Addrs returns the addresses with a link.
func (d *Directory) Addrs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	addrs := make([]string, 0, len(d.links))
	for a := range d.links {
		addrs = append(addrs, a)
	}
	return addrs
}

// Shutdown closes all links.
func (d *Directory) Shutdown() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = true
	for a, l := range d.links {
		l.Close()
		delete(d.links, a)
	}
}
