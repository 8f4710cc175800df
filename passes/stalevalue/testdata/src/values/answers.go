package values

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

type credentials struct{ id, secret string }

type grant struct {
	Access string `json:"access_token"`
	until  time.Time
}

// A Granter exchanges credentials for a grant, which it keeps.
type Granter struct {
	http *http.Client
	slot sync.Mutex // one exchange at a time

	mu    sync.Mutex
	creds credentials
	kept  *grant
}

// Use takes other credentials; a grant for the former ones is dropped.
func (g *Granter) Use(c credentials) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.creds = c
	g.kept = nil
}

// Kept returns the grant.
func (g *Granter) Kept() *grant {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.kept
}

// exchange decodes the answer into the grant: it is computed from the credentials.
func (g *Granter) exchange(ctx context.Context, c credentials) (*grant, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://grants", strings.NewReader(c.id+":"+c.secret))
	if err != nil {
		return nil, err
	}
	res, err := g.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var out grant
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return nil, err
	}
	return &out, nil
}

// Renew keeps a grant for credentials that may have been replaced.
func (g *Granter) Renew(ctx context.Context) error {
	g.mu.Lock()
	c := g.creds
	g.mu.Unlock()
	k, err := g.exchange(ctx, c)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.kept = k // want `(check-then-act|stale-use): g.creds was (checked|read) at line \d+`
	g.mu.Unlock()
	return nil
}

// RenewAlone does so in one section of another lock, which those who replace them do not take.
func (g *Granter) RenewAlone(ctx context.Context) error {
	g.slot.Lock()
	defer g.slot.Unlock()
	if g.Kept() != nil {
		return nil
	}
	g.mu.Lock()
	c := g.creds
	g.mu.Unlock()
	k, err := g.exchange(ctx, c)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.kept = k // want `check-then-act: g.(creds|kept) was checked at line \d+`
	g.mu.Unlock()
	return nil
}

// RenewSame looks whether they are the same.
func (g *Granter) RenewSame(ctx context.Context) error {
	g.mu.Lock()
	c := g.creds
	g.mu.Unlock()
	k, err := g.exchange(ctx, c)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.creds == c {
		g.kept = k
	}
	return nil
}

// Await waits for a time that depends on what is kept: when it is over says nothing of the grant.
func (g *Granter) Await(ctx context.Context) {
	g.mu.Lock()
	until := g.kept.until
	g.mu.Unlock()
	t := time.NewTimer(time.Until(until))
	select {
	case <-t.C:
	case <-ctx.Done():
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.creds = credentials{}
}

type caller struct{ name, route string }

// A Router has peers, and what goes to each of them.
type Router struct {
	mu    sync.Mutex
	peers map[string]*caller
	lines []line
}

type line struct {
	to    string
	route string
}

// Drop takes the peer out, with its lines.
func (r *Router) Drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.peers, name)
	var rest []line
	for _, l := range r.lines {
		if l.to != name {
			rest = append(rest, l)
		}
	}
	r.lines = rest
}

// Open adds a line to a peer that may be gone: that the line has something of the peer makes it no better.
func (r *Router) Open(name string) bool {
	r.mu.Lock()
	p := r.peers[name]
	r.mu.Unlock()
	if p == nil {
		return false
	}
	l := line{to: name, route: p.route}
	r.mu.Lock()
	r.lines = append(r.lines, l) // want `check-then-act: r.peers\[name\] was checked at line \d+`
	r.mu.Unlock()
	return true
}
