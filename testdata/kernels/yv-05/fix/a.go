package a

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

type Credentials struct {
	ClientID string
	Secret   string
	Audience string
}

type Token struct {
	Access  string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
	expiry  time.Time
}

func (t *Token) valid(now time.Time) bool {
	return t != nil && now.Add(30*time.Second).Before(t.expiry)
}

// Client performs the client-credentials grant and keeps the token.
type Client struct {
	http     *http.Client
	endpoint string
	slot     chan struct{} // at most one exchange at a time

	mu    sync.Mutex
	creds Credentials
	tok   *Token
	epoch uint64
}

func NewClient(endpoint string, c Credentials) *Client {
	return &Client{
		http:     &http.Client{Timeout: 10 * time.Second},
		endpoint: endpoint,
		slot:     make(chan struct{}, 1),
		creds:    c,
	}
}

// SetCredentials switches to another client; tokens of the old one must not be used any more.
func (c *Client) SetCredentials(cr Credentials) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.creds = cr
	c.tok = nil
	c.epoch++
}

func (c *Client) cached() *Token {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tok.valid(time.Now()) {
		return c.tok
	}
	return nil
}

func (c *Client) Token(ctx context.Context) (*Token, error) {
	if t := c.cached(); t != nil {
		return t, nil
	}
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if t := c.cached(); t != nil {
		return t, nil
	}
	for {
		c.mu.Lock()
		creds, epoch := c.creds, c.epoch
		c.mu.Unlock()

		t, err := c.exchange(ctx, creds)
		if err != nil {
			return nil, err
		}

		c.mu.Lock()
		current := c.epoch == epoch
		if current {
			c.tok = t
		}
		c.mu.Unlock()
		if current {
			return t, nil
		}
	}
}

func (c *Client) exchange(ctx context.Context, cr Credentials) (*Token, error) {
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {cr.ClientID},
		"client_secret": {cr.Secret},
		"audience":      {cr.Audience},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("oauth: token endpoint: %s", res.Status)
	}
	var t Token
	if err := json.NewDecoder(res.Body).Decode(&t); err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	t.expiry = time.Now().Add(time.Duration(t.Seconds) * time.Second)
	return &t, nil
}
