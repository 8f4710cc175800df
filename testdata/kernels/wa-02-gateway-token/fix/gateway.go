package gateway

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
)

// Upstream is a server requests are passed on to, with the secret it knows us by.
type Upstream struct {
	Base  string
	Token string
}

// Gateway passes requests on to the upstream in use.
type Gateway struct {
	up     atomic.Pointer[Upstream]
	client *http.Client
	passed atomic.Uint64
	failed atomic.Uint64
}

func New(first Upstream, client *http.Client) (*Gateway, error) {
	g := &Gateway{client: client}
	if err := g.Switch(first); err != nil {
		return nil, err
	}
	return g, nil
}

// Switch makes next the upstream of the requests to come.
func (g *Gateway) Switch(next Upstream) error {
	if next.Token == "" {
		return errors.New("gateway: upstream without token")
	}
	next.Base = strings.TrimSuffix(next.Base, "/")
	g.up.Store(&next)
	return nil
}

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	up := g.up.Load()
	url := up.Base + r.URL.Path
	out, err := http.NewRequestWithContext(r.Context(), r.Method, url, r.Body)
	if err != nil {
		g.failed.Add(1)
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	out.Header = r.Header.Clone()
	out.Header.Set("Authorization", "Bearer "+up.Token)
	resp, err := g.client.Do(out)
	if err != nil {
		g.failed.Add(1)
		slog.Warn("upstream", "url", url, "err", err)
		http.Error(w, "upstream unavailable", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	if _, err := io.Copy(w, resp.Body); err == nil {
		g.passed.Add(1)
	}
}

// Passed counts the requests answered in full.
func (g *Gateway) Passed() uint64 { return g.passed.Load() }
