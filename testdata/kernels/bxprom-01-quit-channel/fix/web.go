// Package fix serves the web interface.
package fix

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// Config is what the user has configured.
type Config struct{ Text string }

// Options configures a Handler.
type Options struct {
	EnableLifecycle bool
	ListenAddress   string
}

// Handler serves various HTTP endpoints.
type Handler struct {
	router   *http.ServeMux
	quitCh   chan struct{}
	quitOnce sync.Once
	reloadCh chan chan error
	options  *Options
	ready    atomic.Bool

	mtx    sync.RWMutex
	config *Config
}

// New initializes a new web Handler.
func New(o *Options) *Handler {
	h := &Handler{
		router:   http.NewServeMux(),
		quitCh:   make(chan struct{}),
		reloadCh: make(chan chan error),
		options:  o,
	}
	readyf := h.testReady
	h.router.HandleFunc("/config", readyf(h.serveConfig))
	if o.EnableLifecycle {
		h.router.HandleFunc("POST /-/quit", h.quit)
		h.router.HandleFunc("PUT /-/quit", h.quit)
		h.router.HandleFunc("POST /-/reload", h.reload)
		h.router.HandleFunc("PUT /-/reload", h.reload)
	}
	return h
}

// ApplyConfig updates the config field of the Handler.
func (h *Handler) ApplyConfig(conf *Config) error {
	h.mtx.Lock()
	defer h.mtx.Unlock()
	h.config = conf
	return nil
}

// SetReady marks the start as complete.
func (h *Handler) SetReady() { h.ready.Store(true) }

func (h *Handler) testReady(f http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !h.ready.Load() {
			http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
			return
		}
		f(w, r)
	}
}

// Quit returns the receive-only quit channel.
func (h *Handler) Quit() <-chan struct{} {
	return h.quitCh
}

// Reload returns the receive-only channel that signals configuration reload requests.
func (h *Handler) Reload() <-chan chan error {
	return h.reloadCh
}

// Run serves the HTTP endpoints.
func (h *Handler) Run(ctx context.Context) error {
	srv := &http.Server{Addr: h.options.ListenAddress, Handler: h.router}
	errCh := make(chan error, 1)
	go func() { errCh <- srv.ListenAndServe() }()
	select {
	case err := <-errCh:
		return err
	case <-ctx.Done():
		return srv.Shutdown(context.Background())
	}
}

func (h *Handler) serveConfig(w http.ResponseWriter, r *http.Request) {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	fmt.Fprint(w, h.config.Text)
}

func (h *Handler) quit(w http.ResponseWriter, r *http.Request) {
	var closed bool
	h.quitOnce.Do(func() {
		closed = true
		close(h.quitCh)
		fmt.Fprintf(w, "Requesting termination... Goodbye!")
	})
	if !closed {
		fmt.Fprintf(w, "Termination already in progress.")
	}
}

func (h *Handler) reload(w http.ResponseWriter, r *http.Request) {
	rc := make(chan error)
	h.reloadCh <- rc
	if err := <-rc; err != nil {
		http.Error(w, fmt.Sprintf("failed to reload config: %s", err), http.StatusInternalServerError)
	}
}
