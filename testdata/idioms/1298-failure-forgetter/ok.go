package reverseproxy

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

// Host is the basic, in-memory representation of the state of a remote host.
// Its fields are accessed atomically and Host values must not be copied.
type Host struct {
	numRequests atomic.Int64
	fails       atomic.Int64
}

// countRequest mutates the active request count by delta.
func (h *Host) countRequest(delta int) error {
	if h.numRequests.Add(int64(delta)) < 0 {
		return errors.New("count below 0")
	}
	return nil
}

// countFail mutates the recent failures count by delta.
func (h *Host) countFail(delta int) error {
	if h.fails.Add(int64(delta)) < 0 {
		return errors.New("count below 0")
	}
	return nil
}

func (h *Host) Fails() int { return int(h.fails.Load()) }

type Upstream struct {
	Host        *Host
	Dial        string
	MaxRequests int
	MaxFails    int
}

// Available returns true if the remote host is available to receive requests.
func (u *Upstream) Available() bool {
	return u.Host.Fails() < u.MaxFails && !u.Full()
}

// Full returns true if the remote host cannot receive more requests at this time.
func (u *Upstream) Full() bool {
	return u.MaxRequests > 0 && int(u.Host.numRequests.Load()) >= u.MaxRequests
}

type Handler struct {
	ctx          context.Context
	cancel       context.CancelFunc
	FailDuration time.Duration
	Upstreams    []*Upstream
	transport    http.RoundTripper
}

func New(upstreams []*Upstream, failDuration time.Duration) *Handler {
	ctx, cancel := context.WithCancel(context.Background())
	return &Handler{ctx: ctx, cancel: cancel, FailDuration: failDuration, Upstreams: upstreams, transport: http.DefaultTransport}
}

// Cleanup is called when the config that has made the handler is replaced.
func (h *Handler) Cleanup() { h.cancel() }

func (h *Handler) RoundTrip(req *http.Request) (*http.Response, error) {
	for _, u := range h.Upstreams {
		// The maximum is approximate.
		if !u.Available() {
			continue
		}
		out := req.Clone(req.Context())
		out.URL.Host = u.Dial
		_ = u.Host.countRequest(1)
		res, err := h.transport.RoundTrip(out)
		_ = u.Host.countRequest(-1)
		if err == nil {
			return res, nil
		}
		h.countFailure(u)
	}
	return nil, errors.New("no upstreams available")
}

// countFailure is used with passive health checks. It
// remembers 1 failure for upstream for the configured
// duration.
func (h *Handler) countFailure(upstream *Upstream) {
	if h.FailDuration == 0 {
		return
	}

	// count failure immediately
	if err := upstream.Host.countFail(1); err != nil {
		return
	}

	// forget it later
	go func(host *Host, failDuration time.Duration) {
		timer := time.NewTimer(failDuration)
		defer timer.Stop()
		select {
		case <-h.ctx.Done():
		case <-timer.C:
		}
		_ = host.countFail(-1)
	}(upstream.Host, h.FailDuration)
}
