// Package relay is the forwarding part of a log shipping daemon. It sends
// events to the collector named in the configuration file, which is read again
// on SIGHUP.
package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Event is a log record on its way to the collector.
type Event struct {
	Host string            `json:"host"`
	At   time.Time         `json:"at"`
	Body map[string]string `json:"body"`
}

// Upstream says where events go. The answers may change while the daemon
// runs.
type Upstream interface {
	// Endpoint is the URL of the collector.
	Endpoint() string
	// Token is the secret with which the collector knows this daemon.
	Token() string
}

// FileConfig is an Upstream that is read from a JSON file. It is safe for
// concurrent use.
type FileConfig struct {
	path string

	loading sync.Mutex // one reload at a time

	mu       sync.RWMutex
	endpoint string
	token    string
}

// LoadConfig reads the configuration from path.
func LoadConfig(path string) (*FileConfig, error) {
	c := &FileConfig{path: path}
	if err := c.Reload(); err != nil {
		return nil, err
	}
	return c, nil
}

// Reload reads the file again. If it cannot be read the configuration stays
// as it is.
func (c *FileConfig) Reload() error {
	c.loading.Lock()
	defer c.loading.Unlock()
	data, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	var f struct {
		Endpoint string `json:"endpoint"`
		Token    string `json:"token"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("relay: %s: %w", c.path, err)
	}
	c.mu.Lock()
	c.endpoint, c.token = f.Endpoint, f.Token
	c.mu.Unlock()
	return nil
}

// Endpoint implements Upstream.
func (c *FileConfig) Endpoint() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.endpoint
}

// Token implements Upstream.
func (c *FileConfig) Token() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.token
}

// ReloadOn reloads the configuration whenever hup delivers a signal, until
// ctx is done. Errors go to report.
func (c *FileConfig) ReloadOn(ctx context.Context, hup <-chan os.Signal, report func(error)) {
	for {
		select {
		case <-hup:
			if err := c.Reload(); err != nil {
				report(err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Relay sends events. Its methods are safe for concurrent use.
type Relay struct {
	up     Upstream
	client *http.Client
}

// New returns a relay to up.
func New(up Upstream) *Relay {
	return &Relay{up: up, client: &http.Client{Timeout: 10 * time.Second}}
}

// Forward sends a batch of events to the collector.
func (r *Relay) Forward(ctx context.Context, batch []Event) error {
	req, err := r.request(ctx, batch)
	if err != nil {
		return err
	}
	r.sign(req)
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("relay: %s: %s", req.URL.Host, resp.Status)
	}
	return nil
}

// request builds the HTTP request for a batch.
func (r *Relay) request(ctx context.Context, batch []Event) (*http.Request, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	for _, ev := range batch {
		if err := enc.Encode(ev); err != nil {
			return nil, err
		}
	}
	return http.NewRequestWithContext(ctx, http.MethodPost, r.up.Endpoint(), &body)
}

// sign adds the credentials to a request.
func (r *Relay) sign(req *http.Request) {
	req.Header.Set("Authorization", "Bearer "+r.up.Token())
	req.Header.Set("Content-Type", "application/x-ndjson")
}

// Pump forwards the batches from in with n workers until in is closed. Batches
// that cannot be delivered go to failed.
func (r *Relay) Pump(ctx context.Context, n int, in <-chan []Event, failed func([]Event, error)) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for batch := range in {
				if err := r.Forward(ctx, batch); err != nil {
					failed(batch, err)
				}
			}
		})
	}
	wg.Wait()
}
