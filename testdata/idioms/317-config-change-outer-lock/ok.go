// Package ok changes the running configuration of a server over HTTP.
package ok

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net/http"
	"sync"
)

var (
	errSame     = errors.New("config unchanged")
	errConflict = errors.New("config was changed by somebody else")
)

// App is one part of the server.
type App interface {
	Start() error
	Stop() error
}

// Context is a running configuration.
type Context struct {
	apps []App
}

func (c *Context) stop() {
	if c == nil {
		return
	}
	for _, a := range c.apps {
		if err := a.Stop(); err != nil {
			log.Printf("[ERROR] stopping app: %v", err)
		}
	}
}

// Admin owns the configuration.
type Admin struct {
	provision func(cfg []byte) ([]App, error)

	// rawMu is held for a whole change of the configuration.
	rawMu sync.RWMutex
	raw   []byte

	// currentMu guards current for those who only look at it.
	currentMu sync.RWMutex
	current   *Context
}

// Serve answers admin requests on addr in the background.
func Serve(addr string, provision func([]byte) ([]App, error)) (*Admin, *http.Server) {
	a := &Admin{provision: provision}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /config", a.handleGet)
	mux.HandleFunc("POST /config", a.handleSet)
	srv := &http.Server{Addr: addr, Handler: mux}
	go func() {
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			log.Printf("[ERROR] admin endpoint: %v", err)
		}
	}()
	return a, srv
}

func etag(raw []byte) string {
	h := fnv.New64a()
	h.Write(raw)
	return fmt.Sprintf("%x", h.Sum64())
}

func (a *Admin) handleGet(w http.ResponseWriter, _ *http.Request) {
	a.rawMu.RLock()
	raw := a.raw
	a.rawMu.RUnlock()
	w.Header().Set("Etag", etag(raw))
	w.Write(raw)
}

func (a *Admin) handleSet(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = a.Change(raw, r.Header.Get("If-Match"))
	}
	switch {
	case errors.Is(err, errConflict):
		http.Error(w, err.Error(), http.StatusPreconditionFailed)
	case err != nil && !errors.Is(err, errSame):
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// Change runs a new configuration; if given, match must be the tag of the old
// one.
func (a *Admin) Change(raw []byte, match string) error {
	a.rawMu.Lock()
	defer a.rawMu.Unlock()
	if match != "" && match != etag(a.raw) {
		return errConflict
	}
	if bytes.Equal(raw, a.raw) {
		return errSame
	}
	if !json.Valid(raw) {
		return errors.New("config is not JSON")
	}
	if err := a.decodeAndRun(raw); err != nil {
		return err
	}
	a.raw = raw
	return nil
}

// decodeAndRun replaces the running configuration. The caller holds rawMu.
func (a *Admin) decodeAndRun(raw []byte) error {
	a.currentMu.RLock()
	old := a.current
	a.currentMu.RUnlock()

	apps, err := a.provision(raw)
	if err != nil {
		return fmt.Errorf("provisioning: %w", err)
	}
	next := &Context{}
	for _, app := range apps {
		if err := app.Start(); err != nil {
			next.stop()
			return fmt.Errorf("starting: %w", err)
		}
		next.apps = append(next.apps, app)
	}

	a.currentMu.Lock()
	a.current = next
	a.currentMu.Unlock()

	// The new apps are up, so the old ones can go.
	old.stop()
	return nil
}

// Apps returns the number of running apps.
func (a *Admin) Apps() int {
	a.currentMu.RLock()
	defer a.currentMu.RUnlock()
	if a.current == nil {
		return 0
	}
	return len(a.current.apps)
}

// Stop stops all apps.
func (a *Admin) Stop() {
	a.rawMu.Lock()
	defer a.rawMu.Unlock()
	a.currentMu.Lock()
	old := a.current
	a.current = nil
	a.currentMu.Unlock()
	a.raw = nil
	old.stop()
}
