// Package bug routes requests to backends.
package bug

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

var (
	failTimeout    = 3 * time.Second
	errAllBroken   = errors.New("all the backends are unavailable")
	healthCheckLog atomic.Pointer[func(addr string)]
)

type backendURLs struct {
	healthChecksContext context.Context
	healthChecksCancel  func()
	healthChecksWG      sync.WaitGroup

	bus []*backendURL
}

func newBackendURLs() *backendURLs {
	ctx, cancel := context.WithCancel(context.Background())
	return &backendURLs{
		healthChecksContext: ctx,
		healthChecksCancel:  cancel,
	}
}

func (bus *backendURLs) add(u *url.URL) {
	bus.bus = append(bus.bus, &backendURL{
		url:                u,
		healthCheckContext: bus.healthChecksContext,
		healthCheckWG:      &bus.healthChecksWG,
	})
}

// stopHealthChecks returns when no health check is running any more.
func (bus *backendURLs) stopHealthChecks() {
	bus.healthChecksCancel()
	bus.healthChecksWG.Wait()
}

type backendURL struct {
	broken             atomic.Bool
	concurrentRequests atomic.Int32

	healthCheckContext context.Context
	healthCheckWG      *sync.WaitGroup

	url *url.URL
}

func (bu *backendURL) isBroken() bool { return bu.broken.Load() }

func (bu *backendURL) setBroken() {
	if bu.broken.CompareAndSwap(false, true) {
		bu.healthCheckWG.Go(func() {
			bu.runHealthCheck()
			bu.broken.Store(false)
		})
	}
}

func (bu *backendURL) runHealthCheck() {
	t := time.NewTicker(failTimeout)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			var d net.Dialer
			ctx, cancel := context.WithTimeout(bu.healthCheckContext, time.Second)
			c, err := d.DialContext(ctx, "tcp", bu.url.Host)
			cancel()
			if err != nil {
				if errors.Is(bu.healthCheckContext.Err(), context.Canceled) {
					return
				}
				(*healthCheckLog.Load())(bu.url.Host)
				continue
			}
			_ = c.Close()
			return
		case <-bu.healthCheckContext.Done():
			return
		}
	}
}

func (bu *backendURL) get() { bu.concurrentRequests.Add(1) }
func (bu *backendURL) put() { bu.concurrentRequests.Add(-1) }

// URLPrefix is the target of a route.
type URLPrefix struct {
	bus atomic.Pointer[backendURLs]
	n   atomic.Uint32
}

func (up *URLPrefix) getBackendURL() *backendURL {
	bus := up.bus.Load().bus
	n := up.n.Add(1)
	for i := range bus {
		bu := bus[(int(n)+i)%len(bus)]
		if !bu.isBroken() {
			bu.get()
			return bu
		}
	}
	return nil
}

// AuthConfig is replaced as a whole by a reload.
type AuthConfig struct {
	routes map[string]*URLPrefix
}

var authConfig atomic.Pointer[AuthConfig]

func (ac *AuthConfig) stopHealthChecks() {
	for _, up := range ac.routes {
		up.bus.Load().stopHealthChecks()
	}
}

// reload installs a configuration and ends the previous one.
func reload(ac *AuthConfig) {
	prev := authConfig.Swap(ac)
	if prev != nil {
		prev.stopHealthChecks()
	}
}

func processRequest(r *http.Request, rt http.RoundTripper) (*http.Response, error) {
	up := authConfig.Load().routes[r.Host]
	for {
		bu := up.getBackendURL()
		if bu == nil {
			return nil, errAllBroken
		}
		req := r.Clone(r.Context())
		req.URL.Host = bu.url.Host
		resp, err := rt.RoundTrip(req)
		bu.put()
		if err == nil || r.Context().Err() != nil {
			return resp, err
		}
		bu.setBroken()
	}
}
