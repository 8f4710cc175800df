// Package upstream shares one client per backend address.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

type Client interface {
	io.Closer
	Do(ctx context.Context, req string) (string, error)
}

type Dialer func(ctx context.Context, addr string) (Client, error)

type Directory struct {
	dial    Dialer
	clients sync.Map // addr -> Client
}

func NewDirectory(d Dialer) *Directory { return &Directory{dial: d} }

func (d *Directory) lookup(addr string) (Client, bool) {
	v, ok := d.clients.Load(addr)
	if !ok {
		return nil, false
	}
	return v.(Client), true
}

// Client returns the shared client for addr, dialling it on first use.
func (d *Directory) Client(ctx context.Context, addr string) (Client, error) {
	if c, ok := d.lookup(addr); ok {
		return c, nil
	}
	mine, err := d.dial(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("upstream: %s: %w", addr, err)
	}
	v, loaded := d.clients.LoadOrStore(addr, mine)
	if loaded {
		mine.Close()
	}
	return v.(Client), nil
}

func (d *Directory) Do(ctx context.Context, addr, req string) (string, error) {
	c, err := d.Client(ctx, addr)
	if err != nil {
		return "", err
	}
	return c.Do(ctx, req)
}

// Close closes all clients; it must be the last call on d.
func (d *Directory) Close() error {
	var errs []error
	d.clients.Range(func(k, _ any) bool {
		if v, ok := d.clients.LoadAndDelete(k); ok {
			errs = append(errs, v.(Client).Close())
		}
		return true
	})
	return errors.Join(errs...)
}

// Addrs lists the backends with a client.
func (d *Directory) Addrs() []string {
	var out []string
	d.clients.Range(func(k, _ any) bool {
		out = append(out, k.(string))
		return true
	})
	return out
}
