// Package meterpoll polls the gateways of a utility for meter readings.
package meterpoll

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// Config is the part of the settings file that describes a pool.
type Config struct {
	Gateway   string        // base URL
	TokenFile string        // file with the bearer token of the gateway
	Interval  time.Duration // time between two polls of a meter
}

// Reading is what a gateway tells about a meter.
type Reading struct {
	Meter   string  `json:"meter"`
	KWh     float64 `json:"kwh"`
	Gateway string  `json:"-"`
}

// Sink takes the readings. It must be safe for concurrent use.
type Sink interface {
	Put(Reading)
}

// target is where and with which credential to poll.
type target struct {
	base  string
	token string
	every time.Duration
}

// Pool polls a set of meters through one gateway, each in a goroutine of its
// own. Reload may be called while the pollers run.
type Pool struct {
	client *http.Client
	sink   Sink

	mu  sync.RWMutex
	tgt target

	failMu sync.Mutex
	fails  map[string]error // last error of a meter, nil entries removed
}

// NewPool returns a pool for the settings.
func NewPool(cfg Config, sink Sink) (*Pool, error) {
	p := &Pool{
		client: &http.Client{Timeout: 10 * time.Second},
		sink:   sink,
		fails:  make(map[string]error),
	}
	if err := p.Reload(cfg); err != nil {
		return nil, err
	}
	return p, nil
}

// Reload puts new settings in force. Polls that are under way finish with the
// old ones. Reloads come one at a time, from the signal handler.
func (p *Pool) Reload(cfg Config) error {
	u, err := url.Parse(cfg.Gateway)
	if err != nil {
		return fmt.Errorf("meterpoll: gateway: %w", err)
	}
	if u.Scheme != "https" {
		return errors.New("meterpoll: gateway must use https")
	}
	if cfg.Interval <= 0 {
		return errors.New("meterpoll: interval must be positive")
	}
	raw, err := os.ReadFile(cfg.TokenFile)
	if err != nil {
		return fmt.Errorf("meterpoll: token: %w", err)
	}
	p.setGateway(strings.TrimSuffix(u.String(), "/"), cfg.Interval)
	p.setToken(strings.TrimSpace(string(raw)))
	return nil
}

func (p *Pool) setGateway(base string, every time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tgt.base = base
	p.tgt.every = every
}

func (p *Pool) setToken(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tgt.token = token
}

func (p *Pool) target() target {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.tgt
}

// Run polls the meters until ctx is done.
func (p *Pool) Run(ctx context.Context, meters []string) {
	var wg sync.WaitGroup
	for _, m := range meters {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p.pollLoop(ctx, m)
		}()
	}
	wg.Wait()
}

func (p *Pool) pollLoop(ctx context.Context, meter string) {
	for {
		tgt := p.target()
		r, err := p.poll(ctx, tgt, meter)
		p.note(meter, err)
		if err == nil {
			p.sink.Put(r)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(tgt.every):
		}
	}
}

// poll asks the gateway once.
func (p *Pool) poll(ctx context.Context, tgt target, meter string) (Reading, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, tgt.base+"/meters/"+url.PathEscape(meter), nil)
	if err != nil {
		return Reading{}, err
	}
	req.Header.Set("Authorization", "Bearer "+tgt.token)
	resp, err := p.client.Do(req)
	if err != nil {
		return Reading{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Reading{}, fmt.Errorf("meterpoll: %s: %s", meter, resp.Status)
	}
	r := Reading{Gateway: tgt.base}
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return Reading{}, fmt.Errorf("meterpoll: %s: %w", meter, err)
	}
	return r, nil
}

func (p *Pool) note(meter string, err error) {
	p.failMu.Lock()
	defer p.failMu.Unlock()
	if err == nil {
		delete(p.fails, meter)
		return
	}
	p.fails[meter] = err
}

// Failing returns the meters whose last poll failed, with the reason.
func (p *Pool) Failing() map[string]error {
	p.failMu.Lock()
	defer p.failMu.Unlock()
	out := make(map[string]error, len(p.fails))
	for m, err := range p.fails {
		out[m] = err
	}
	return out
}
