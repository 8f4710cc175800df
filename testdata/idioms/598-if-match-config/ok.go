// Package ok serves the configuration of a server over HTTP.
package ok

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
)

var errPreconditionFailed = errors.New("If-Match header did not match current config hash")

// App is what the configuration is for.
type App interface {
	Start(cfg json.RawMessage) error
	Stop() error
}

// Admin serves the configuration, a JSON object with the apps by their names.
type Admin struct {
	apps map[string]App // not changed

	// rawCfgMu protects rawCfg and also essentially synchronizes config changes.
	rawCfgMu sync.RWMutex
	rawCfg   map[string]json.RawMessage
}

// NewAdmin returns an admin endpoint with no configuration.
func NewAdmin(apps map[string]App) *Admin {
	return &Admin{apps: apps, rawCfg: make(map[string]json.RawMessage)}
}

func etag(cfg []byte) string {
	sum := sha256.Sum256(cfg)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// readConfig writes the configuration of an app to out. It is null if there is
// none.
func (a *Admin) readConfig(name string, out io.Writer) error {
	a.rawCfgMu.RLock()
	defer a.rawCfgMu.RUnlock()
	return a.unsyncedConfigAccess(name, out)
}

// unsyncedConfigAccess is called with rawCfgMu held.
func (a *Admin) unsyncedConfigAccess(name string, out io.Writer) error {
	return json.NewEncoder(out).Encode(a.rawCfg[name])
}

// changeConfig changes the configuration of an app. If ifMatch is not empty, the
// change is made only if it is the tag of the current configuration.
func (a *Admin) changeConfig(name string, cfg json.RawMessage, ifMatch string) error {
	app, ok := a.apps[name]
	if !ok {
		return errors.New("unknown app: " + name)
	}
	a.rawCfgMu.Lock()
	defer a.rawCfgMu.Unlock()
	if ifMatch != "" {
		var buf bytes.Buffer
		if err := a.unsyncedConfigAccess(name, &buf); err != nil {
			return err
		}
		if etag(buf.Bytes()) != ifMatch {
			return errPreconditionFailed
		}
	}
	if bytes.Equal(a.rawCfg[name], cfg) {
		return nil // unchanged, no need to do a reload
	}
	if _, ok := a.rawCfg[name]; ok {
		if err := app.Stop(); err != nil {
			return err
		}
		delete(a.rawCfg, name)
	}
	if err := app.Start(cfg); err != nil {
		return err
	}
	a.rawCfg[name] = cfg
	return nil
}

// ServeHTTP serves the configuration of the app in the path.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("app")
	var err error
	switch r.Method {
	case http.MethodGet:
		// Read the config into a buffer, as the tag goes to the header.
		var buf bytes.Buffer
		if err = a.readConfig(name, &buf); err == nil {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Etag", etag(buf.Bytes()))
			w.Write(buf.Bytes())
		}
	case http.MethodPut:
		var cfg json.RawMessage
		if err = json.NewDecoder(r.Body).Decode(&cfg); err == nil {
			err = a.changeConfig(name, cfg, r.Header.Get("If-Match"))
		}
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
	if errors.Is(err, errPreconditionFailed) {
		http.Error(w, err.Error(), http.StatusPreconditionFailed)
	} else if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// Add sets a field in the configuration of an app, for programs.
func (a *Admin) Add(app, key string, value any) error {
	for {
		var buf bytes.Buffer
		if err := a.readConfig(app, &buf); err != nil {
			return err
		}
		cfg := make(map[string]any)
		if err := json.Unmarshal(buf.Bytes(), &cfg); err != nil {
			return err
		}
		if cfg == nil {
			cfg = make(map[string]any)
		}
		cfg[key] = value
		b, err := json.Marshal(cfg)
		if err != nil {
			return err
		}
		err = a.changeConfig(app, b, etag(buf.Bytes()))
		if !errors.Is(err, errPreconditionFailed) {
			return err
		}
	}
}
