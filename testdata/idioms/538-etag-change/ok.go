// Package ok lets administrators change a running configuration.
package ok

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
)

var (
	errStale     = errors.New("configuration has changed meanwhile")
	errUnchanged = errors.New("configuration is unchanged")
)

// App is what runs under a configuration.
type App interface {
	Stop()
}

// Admin owns the configuration and the app.
type Admin struct {
	start func(raw []byte) (App, error)

	rawMu sync.RWMutex
	raw   map[string]json.RawMessage
	text  []byte

	appMu sync.RWMutex
	app   App
}

// NewAdmin returns an admin without configuration.
func NewAdmin(start func([]byte) (App, error)) *Admin {
	return &Admin{start: start, raw: make(map[string]json.RawMessage), text: []byte("{}")}
}

func etag(b []byte) string {
	h := fnv.New64a()
	h.Write(b)
	return fmt.Sprintf("%x", h.Sum64())
}

// Read returns one section and its tag.
func (a *Admin) Read(section string) (json.RawMessage, string) {
	a.rawMu.RLock()
	defer a.rawMu.RUnlock()
	v := a.raw[section]
	return append(json.RawMessage(nil), v...), etag(v)
}

// Change replaces one section. If tag is not empty, it must be the one of the
// section as it is now.
func (a *Admin) Change(section string, value json.RawMessage, tag string) error {
	a.rawMu.Lock()
	defer a.rawMu.Unlock()

	old, had := a.raw[section]
	if tag != "" && tag != etag(old) {
		return errStale
	}
	if len(value) == 0 {
		delete(a.raw, section)
	} else {
		a.raw[section] = append(json.RawMessage(nil), value...)
	}
	text, err := json.Marshal(a.raw)
	if err == nil {
		if bytes.Equal(text, a.text) {
			return errUnchanged
		}
		err = a.run(text)
	}
	if err != nil {
		if had {
			a.raw[section] = old
		} else {
			delete(a.raw, section)
		}
		return fmt.Errorf("loading new configuration: %w", err)
	}
	a.text = text
	return nil
}

// run is called with rawMu held; appMu is only taken for the exchange so that
// App stays available while the new one starts.
func (a *Admin) run(text []byte) error {
	next, err := a.start(text)
	if err != nil {
		return err
	}
	a.appMu.Lock()
	prev := a.app
	a.app = next
	a.appMu.Unlock()
	if prev != nil {
		prev.Stop()
	}
	return nil
}

// App returns what runs now, nil if nothing does.
func (a *Admin) App() App {
	a.appMu.RLock()
	defer a.appMu.RUnlock()
	return a.app
}

// Close stops the app.
func (a *Admin) Close() {
	a.rawMu.Lock()
	defer a.rawMu.Unlock()
	if a.App() == nil {
		return
	}
	a.appMu.Lock()
	prev := a.app
	a.app = nil
	a.appMu.Unlock()
	prev.Stop()
	a.raw = make(map[string]json.RawMessage)
	a.text = []byte("{}")
}
