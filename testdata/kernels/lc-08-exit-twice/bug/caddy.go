package caddy

import (
	"context"
	"log"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Exit codes. Generally, you should NOT automatically restart the process if
// the exit code is ExitCodeFailedStartup (1).
const (
	ExitCodeSuccess = iota
	ExitCodeFailedStartup
	ExitCodeForceQuit
	ExitCodeFailedQuit
)

// App is a thing that Caddy runs.
type App interface {
	Start() error
	Stop() error
}

// Context is the context of the running configuration.
type Context struct {
	apps       map[string]App
	cancelFunc context.CancelFunc
	exitFuncs  []func(context.Context)
}

var (
	// currentCtx is the root context for the currently-running
	// configuration, which can be accessed through this value.
	currentCtx   Context
	currentCtxMu sync.RWMutex

	// rawCfgMu synchronizes loads and stops of configurations.
	rawCfgMu   sync.Mutex
	rawCfgJSON []byte

	// pidfile is the name of the pidfile, if any.
	pidfile string

	serverMu         sync.Mutex
	localAdminServer *http.Server

	osExit = os.Exit
)

// ActiveContext returns the currently-active context.
func ActiveContext() Context {
	currentCtxMu.RLock()
	defer currentCtxMu.RUnlock()
	return currentCtx
}

// load runs the given configuration in place of the current one.
func load(cfgJSON []byte, newCtx Context) error {
	rawCfgMu.Lock()
	defer rawCfgMu.Unlock()
	for name, a := range newCtx.apps {
		if err := a.Start(); err != nil {
			log.Printf("[ERROR] start %s: %v", name, err)
			return err
		}
	}
	currentCtxMu.Lock()
	oldCtx := currentCtx
	currentCtx = newCtx
	currentCtxMu.Unlock()
	rawCfgJSON = cfgJSON

	// Stop, Cleanup each old app
	unsyncedStop(oldCtx)
	return nil
}

// Stop stops running the current configuration.
// It is the antithesis of Run(). This function
// will log any errors that occur during the
// stopping of individual apps and continue to
// stop the others. Stop should only be called
// if not replacing with a new config.
func Stop() error {
	rawCfgMu.Lock()
	defer rawCfgMu.Unlock()

	currentCtxMu.Lock()
	ctx := currentCtx
	currentCtx = Context{}
	currentCtxMu.Unlock()

	unsyncedStop(ctx)
	rawCfgJSON = nil
	return nil
}

// unsyncedStop stops ctx from running, but has
// no locking around ctx.
//
// A lock on rawCfgMu is required, that lock
// synchronizes the stop/start of apps.
func unsyncedStop(ctx Context) {
	if ctx.cancelFunc == nil {
		return
	}

	// stop each app
	for name, a := range ctx.apps {
		err := a.Stop()
		if err != nil {
			log.Printf("[ERROR] stop %s: %v", name, err)
		}
	}

	// clean up all modules
	ctx.cancelFunc()
}

// exitProcess exits the process as gracefully as possible,
// but it always exits, even if there are errors doing so.
// It stops all apps, cleans up external locks, removes any
// PID file, and shuts down admin endpoint(s) in a goroutine.
// Errors are logged along the way, and an appropriate exit
// code is emitted.
func exitProcess(ctx context.Context, logger *log.Logger) {
	// let the rest of the program know we're quitting
	atomic.StoreInt32(exiting, 1)

	logger.Print("exiting; byeee!!")

	exitCode := ExitCodeSuccess
	lastContext := ActiveContext()

	// stop all apps
	if err := Stop(); err != nil {
		logger.Printf("failed to stop apps: %v", err)
		exitCode = ExitCodeFailedQuit
	}

	// remove pidfile
	if pidfile != "" {
		err := os.Remove(pidfile)
		if err != nil {
			logger.Printf("cleaning up PID file %s: %v", pidfile, err)
			exitCode = ExitCodeFailedQuit
		}
	}

	// execute any process-exit callbacks
	for _, exitFunc := range lastContext.exitFuncs {
		exitFunc(ctx)
	}
	exitFuncsMu.Lock()
	for _, exitFunc := range exitFuncs {
		exitFunc(ctx)
	}
	exitFuncsMu.Unlock()

	// shut down admin endpoint(s) in goroutines so that
	// if this function was called from an admin handler,
	// it has a chance to return gracefully
	// use goroutine so that we can finish responding to API request
	go func() {
		defer func() {
			logger.Printf("shutdown complete, exit code %d", exitCode)
			osExit(exitCode)
		}()

		serverMu.Lock()
		server := localAdminServer
		serverMu.Unlock()
		if server != nil {
			err := stopAdminServer(server)
			if err != nil {
				exitCode = ExitCodeFailedQuit
				logger.Printf("failed to stop local admin server gracefully: %v", err)
			}
		}
	}()
}

var exiting = new(int32) // accessed atomically

// Exiting returns true if the process is exiting.
func Exiting() bool { return atomic.LoadInt32(exiting) == 1 }

// OnExit registers a callback to invoke during process exit.
// This registration is PROCESS-GLOBAL, meaning that each
// function should only be registered once forever, NOT once
// per config load (etc).
func OnExit(f func(context.Context)) {
	exitFuncsMu.Lock()
	exitFuncs = append(exitFuncs, f)
	exitFuncsMu.Unlock()
}

var (
	exitFuncs   []func(context.Context)
	exitFuncsMu sync.Mutex
)

func stopAdminServer(srv *http.Server) error {
	timeout := 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return srv.Shutdown(ctx)
}
