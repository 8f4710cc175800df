package a

import (
	"context"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type ExitStatus int32

const (
	ExitSuccess ExitStatus = 0
	ExitError   ExitStatus = 1
	ExitRestart ExitStatus = 3
	ExitUpgrade ExitStatus = 4
)

// Service is a part of the app that runs until it is stopped.
type Service interface {
	Serve(ctx context.Context) error
}

type App struct {
	services   []Service
	exitStatus atomic.Int32
	startOnce  sync.Once
	stop       chan struct{}
	stopped    chan struct{}
}

func New(services ...Service) *App {
	return &App{
		services: services,
		stop:     make(chan struct{}),
		stopped:  make(chan struct{}),
	}
}

// Run does the same as start, but then does not return until the app stops. It
// is equivalent to calling Start and then Wait.
func (a *App) Run() ExitStatus {
	a.Start()
	return a.Wait()
}

// Start executes the app.
func (a *App) Start() {
	a.startOnce.Do(func() {
		go a.run()
	})
}

func (a *App) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, s := range a.services {
		wg.Go(func() {
			if err := s.Serve(ctx); err != nil && ctx.Err() == nil {
				a.Stop(ExitError)
			}
		})
	}

	<-a.stop

	cancel()
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		// Services failed to stop within 10s
	}
	close(a.stopped)
}

// Wait blocks until the app stops running.
func (a *App) Wait() ExitStatus {
	<-a.stopped
	return ExitStatus(a.exitStatus.Load())
}

// Stop stops the app and sets its exit status to given reason, unless the app
// was already stopped before. In any case it returns the effective exit status.
func (a *App) Stop(stopReason ExitStatus) ExitStatus {
	select {
	case <-a.stopped:
	case <-a.stop:
	default:
		// ExitSuccess is the default value for a.exitStatus. If another status
		// was already set, ignore the stop reason given as argument to Stop.
		a.exitStatus.CompareAndSwap(int32(ExitSuccess), int32(stopReason))
		close(a.stop)
	}
	return ExitStatus(a.exitStatus.Load())
}

// HandleSignals stops the app on the first signal.
func (a *App) HandleSignals(ch <-chan os.Signal) {
	select {
	case <-ch:
		a.Stop(ExitSuccess)
	case <-a.stopped:
	}
}

// ServeHTTP handles the system requests of the REST API.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/rest/system/shutdown":
		w.WriteHeader(http.StatusOK)
		go a.Stop(ExitSuccess)
	case "/rest/system/restart":
		w.WriteHeader(http.StatusOK)
		go a.Stop(ExitRestart)
	case "/rest/system/upgrade":
		w.WriteHeader(http.StatusOK)
		go a.Stop(ExitUpgrade)
	default:
		http.NotFound(w, r)
	}
}
