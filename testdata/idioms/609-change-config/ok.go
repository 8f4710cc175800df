// Package caddy changes its config while it runs.
package caddy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"sync"
)

var (
	errSameConfig = errors.New("config is unchanged")
	// ErrPrecondition is returned if the config was changed by somebody else.
	ErrPrecondition = errors.New("If-Match header did not match current config hash")
)

// App is a thing that Caddy runs.
type App interface {
	Start() error
	Stop() error
}

// Context is a running config. It is not changed.
type Context struct {
	apps   map[string]App
	cancel context.CancelCauseFunc
}

// App returns a running app.
func (ctx Context) App(name string) (App, bool) {
	app, ok := ctx.apps[name]
	return app, ok
}

// NewApp makes an app of its config; it is set before the first use.
var NewApp func(ctx context.Context, name string, cfg json.RawMessage) (App, error)

// currentCtx is the root context for the currently-running
// configuration, which can be accessed through this value.
// If the Config contained in this value is not nil, then
// a config is currently active/running.
var (
	currentCtx   Context
	currentCtxMu sync.RWMutex
)

var (
	// rawCfg is the current, generic-decoded configuration
	rawCfg map[string]json.RawMessage

	// rawCfgJSON is the JSON-encoded form of rawCfg. Keeping
	// this around avoids an extra Marshal call during changes.
	rawCfgJSON []byte

	// rawCfgMu protects all the rawCfg fields and also
	// essentially synchronizes config changes/reloads.
	rawCfgMu sync.RWMutex
)

// ActiveContext returns the currently-active context.
func ActiveContext() Context {
	currentCtxMu.RLock()
	defer currentCtxMu.RUnlock()
	return currentCtx
}

// ReadConfig returns the config of an app and its hash.
func ReadConfig(app string) (json.RawMessage, string) {
	rawCfgMu.RLock()
	defer rawCfgMu.RUnlock()
	return rawCfg[app], unsyncedHash(app)
}

func unsyncedHash(app string) string {
	sum := sha256.Sum256(rawCfg[app])
	return hex.EncodeToString(sum[:])
}

// ChangeConfig changes the current config of an app, and, if it is
// different, loads and runs the new config; if that fails, the old
// config is restored. If ifMatch is not empty, it has to be the hash
// of the config that is replaced.
func ChangeConfig(app string, input json.RawMessage, ifMatch string, forceReload bool) error {
	rawCfgMu.Lock()
	defer rawCfgMu.Unlock()

	if ifMatch != "" && unsyncedHash(app) != ifMatch {
		return ErrPrecondition
	}

	newRaw := make(map[string]json.RawMessage, len(rawCfg)+1)
	for k, v := range rawCfg {
		newRaw[k] = v
	}
	if input == nil {
		delete(newRaw, app)
	} else {
		newRaw[app] = input
	}

	// the mutation is complete, so encode the entire config as JSON
	newCfg, err := json.Marshal(newRaw)
	if err != nil {
		return fmt.Errorf("encoding new config: %v", err)
	}

	// if nothing changed, no need to do a whole reload unless the client forces it
	if !forceReload && bytes.Equal(rawCfgJSON, newCfg) {
		return errSameConfig
	}

	if err := unsyncedDecodeAndRun(newCfg); err != nil {
		return fmt.Errorf("loading new config: %v", err)
	}

	// success, so update our stored copy of the encoded
	// config to keep it consistent with what caddy is now
	// running
	rawCfg = newRaw
	rawCfgJSON = newCfg
	return nil
}

// unsyncedDecodeAndRun decodes cfgJSON and runs
// it as the new config, replacing any other current config.
// A lock on rawCfgMu is required!
func unsyncedDecodeAndRun(cfgJSON []byte) error {
	var newCfg map[string]json.RawMessage
	if err := json.Unmarshal(cfgJSON, &newCfg); err != nil {
		return err
	}

	// run the new config and start all its apps
	ctx, err := run(newCfg)
	if err != nil {
		return err
	}

	// swap old context (including its config) with the new one
	currentCtxMu.Lock()
	oldCtx := currentCtx
	currentCtx = ctx
	currentCtxMu.Unlock()

	// Stop, Cleanup each old app
	unsyncedStop(oldCtx)
	return nil
}

// run starts all apps, or none.
func run(cfg map[string]json.RawMessage) (Context, error) {
	c, cancel := context.WithCancelCause(context.Background())
	ctx := Context{apps: make(map[string]App, len(cfg)), cancel: cancel}
	for name, raw := range cfg {
		app, err := NewApp(c, name, raw)
		if err == nil {
			err = app.Start()
		}
		if err != nil {
			unsyncedStop(ctx)
			return Context{}, fmt.Errorf("%s app: %v", name, err)
		}
		ctx.apps[name] = app
	}
	return ctx, nil
}

// unsyncedStop stops the config of a context.
func unsyncedStop(ctx Context) {
	if ctx.cancel == nil {
		return
	}
	// stop each app
	for name, a := range ctx.apps {
		if err := a.Stop(); err != nil {
			log.Printf("[ERROR] stop %s: %v", name, err)
		}
	}
	// clean up all modules
	ctx.cancel(errors.New("stopping apps"))
}
