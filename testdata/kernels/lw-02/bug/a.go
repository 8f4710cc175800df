package authclient

import (
	"context"
	"errors"
	"sync"
)

var (
	errTokenInvalid = errors.New("invalid auth token")
	errNoPermission = errors.New("permission denied")
)

// credentialBundle hands the current token to the transport.
type credentialBundle struct {
	mu    sync.RWMutex
	token string
}

func (b *credentialBundle) setToken(t string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.token = t
}

// metadata returns the headers of a request.
func (b *credentialBundle) metadata() map[string]string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.token == "" {
		return nil
	}
	return map[string]string{"token": b.token}
}

// Transport sends requests to a server. A request without a token is treated
// as one of an anonymous user.
type Transport interface {
	Call(ctx context.Context, method string, md map[string]string, req []byte) ([]byte, error)
	Login(ctx context.Context, user, password string) (string, error)
}

// Client is safe for concurrent use.
type Client struct {
	tr         Transport
	user, pass string
	creds      *credentialBundle
	maxRetries int
}

// Dial logs in and returns a client.
func Dial(ctx context.Context, tr Transport, user, pass string) (*Client, error) {
	c := &Client{tr: tr, user: user, pass: pass, creds: &credentialBundle{}, maxRetries: 3}
	if err := c.login(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Client) login(ctx context.Context) error {
	if c.user == "" || c.pass == "" {
		return nil
	}
	tok, err := c.tr.Login(ctx, c.user, c.pass)
	if err != nil {
		return err
	}
	c.creds.setToken(tok)
	return nil
}

func (c *Client) renewToken(ctx context.Context) error {
	// Drop the old token before asking for a new one.
	c.creds.setToken("")
	return c.login(ctx)
}

func (c *Client) shouldRenew(err error) bool {
	return errors.Is(err, errTokenInvalid) && c.user != ""
}

// invoke calls a method and renews the token when the server rejects it.
func (c *Client) invoke(ctx context.Context, method string, req []byte) ([]byte, error) {
	var lastErr error
	for range c.maxRetries {
		resp, err := c.tr.Call(ctx, method, c.creds.metadata(), req)
		if err == nil {
			return resp, nil
		}
		lastErr = err
		if !c.shouldRenew(err) {
			return nil, err
		}
		if err := c.renewToken(ctx); err != nil {
			return nil, err
		}
	}
	return nil, lastErr
}

// Get reads a key.
func (c *Client) Get(ctx context.Context, key string) ([]byte, error) {
	return c.invoke(ctx, "Get", []byte(key))
}

// Put writes a key.
func (c *Client) Put(ctx context.Context, key, val string) error {
	_, err := c.invoke(ctx, "Put", []byte(key+"="+val))
	return err
}

// PutAll writes many keys at once and reports the keys that were denied.
func (c *Client) PutAll(ctx context.Context, kv map[string]string) []string {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		denied []string
	)
	for k, v := range kv {
		wg.Go(func() {
			if err := c.Put(ctx, k, v); errors.Is(err, errNoPermission) {
				mu.Lock()
				denied = append(denied, k)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return denied
}
