// Package sdk is the client of the inventory API.
package sdk

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Invoker performs a request.
type Invoker func(*http.Request) (*http.Response, error)

// Interceptor is called around each request.
type Interceptor func(req *http.Request, next Invoker) (*http.Response, error)

type link struct {
	name string
	fn   Interceptor
}

// chain is not changed after it was published.
type chain struct {
	links []link
}

func (c *chain) with(l link) *chain {
	next := make([]link, 0, len(c.links)+1)
	for _, have := range c.links {
		if have.name != l.name {
			next = append(next, have)
		}
	}
	return &chain{links: append(next, l)}
}

func (c *chain) without(name string) (*chain, bool) {
	next := make([]link, 0, len(c.links))
	for _, have := range c.links {
		if have.name != name {
			next = append(next, have)
		}
	}
	return &chain{links: next}, len(next) != len(c.links)
}

// Client talks to one endpoint. It is safe for concurrent use.
type Client struct {
	base  *url.URL
	http  *http.Client
	chain atomic.Pointer[chain]
}

// NewClient returns a client for the endpoint.
func NewClient(endpoint string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("sdk: endpoint: %w", err)
	}
	if u.Host == "" {
		return nil, errors.New("sdk: endpoint has no host")
	}
	c := &Client{base: u, http: &http.Client{Timeout: timeout}}
	c.chain.Store(&chain{})
	return c, nil
}

// Use adds an interceptor, or replaces the one of that name.
func (c *Client) Use(name string, fn Interceptor) {
	for {
		cur := c.chain.Load()
		if c.chain.CompareAndSwap(cur, cur.with(link{name: name, fn: fn})) {
			return
		}
	}
}

// Remove takes an interceptor out and says if it was there.
func (c *Client) Remove(name string) bool {
	for {
		cur := c.chain.Load()
		next, found := cur.without(name)
		if !found || c.chain.CompareAndSwap(cur, next) {
			return found
		}
	}
}

func (c *Client) do(req *http.Request) (*http.Response, error) {
	links := c.chain.Load().links
	call := Invoker(c.http.Do)
	for i := len(links) - 1; i >= 0; i-- {
		fn, next := links[i].fn, call
		call = func(r *http.Request) (*http.Response, error) { return fn(r, next) }
	}
	return call(req)
}

// Get fetches a resource.
func (c *Client) Get(path string) ([]byte, error) {
	req, err := http.NewRequest(http.MethodGet, c.base.JoinPath(path).String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.do(req)
	if err != nil {
		return nil, fmt.Errorf("sdk: get %s: %w", path, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("sdk: get %s: %s", path, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 8<<20))
}

// Module is a part of an application that hooks into the client.
type Module interface {
	Name() string
	Interceptor() (Interceptor, error)
}

// Install sets up modules side by side, as some of them fetch secrets first.
func (c *Client) Install(modules ...Module) error {
	errs := make(chan error, len(modules))
	for _, m := range modules {
		go func() {
			fn, err := m.Interceptor()
			if err == nil {
				c.Use(m.Name(), fn)
			}
			errs <- err
		}()
	}
	var all []error
	for range modules {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
