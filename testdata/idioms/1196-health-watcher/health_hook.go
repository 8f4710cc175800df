package allocrunner

import (
	"context"
	"log"
	"sync"
	"time"
)

// Allocation is used to allocate the placement of a task group to a node.
type Allocation struct {
	ID           string
	DeploymentID string
}

// healthSetter is able to set/clear alloc health.
type healthSetter interface {
	// HasHealth returns true if health is already set.
	HasHealth() bool

	// SetHealth via the mutator.
	SetHealth(healthy, isDeploy bool)

	// ClearHealth for when the deployment ID changes.
	ClearHealth()
}

// tracker tracks the health of an allocation
type tracker interface {
	HealthyCh() <-chan bool
	AllocStoppedCh() <-chan struct{}
}

// allocHealthWatcherHook is responsible for watching an allocation's task
// status and (optionally) Consul health check status to determine if the
// allocation is healthy or unhealthy. Used by deployments and migrations.
type allocHealthWatcherHook struct {
	healthSetter healthSetter
	newTracker   func(ctx context.Context, alloc *Allocation) tracker
	deadline     time.Duration

	// hookLock is held by hook methods to prevent concurrent access by
	// Update and synchronous hooks.
	hookLock sync.Mutex

	// watchDone is created before calling watchHealth and is closed when
	// watchHealth exits. Must be passed into watchHealth to avoid races.
	// Initialized already closed as Update may be called before Prerun.
	watchDone chan struct{}

	// ranOnce is set once Prerun or Update have run at least once. This
	// prevents Prerun from running if an Update has already been
	// processed. Must hold hookLock to access.
	ranOnce bool

	// cancelFn stops the health watching/setting goroutine. Wait on
	// watchDone to block until the watcher exits.
	cancelFn context.CancelFunc

	// alloc set by new func or Update. Must hold hookLock to access.
	alloc *Allocation

	logger *log.Logger
}

func newAllocHealthWatcherHook(logger *log.Logger, alloc *Allocation, hs healthSetter,
	newTracker func(context.Context, *Allocation) tracker, deadline time.Duration) *allocHealthWatcherHook {
	// Initialize watchDone with a closed chan in case Update runs before Prerun
	closedDone := make(chan struct{})
	close(closedDone)

	return &allocHealthWatcherHook{
		alloc:        alloc,
		cancelFn:     func() {}, // initialize to prevent nil func panics
		watchDone:    closedDone,
		healthSetter: hs,
		newTracker:   newTracker,
		deadline:     deadline,
		logger:       logger,
	}
}

// init starts the allochealth.Tracker and watchHealth goroutine on either
// Prerun or Update. Caller must set/update alloc and logger fields.
//
// Not threadsafe so the caller should lock since Updates occur concurrently.
func (h *allocHealthWatcherHook) init() error {
	// No need to watch health as it's already set
	if h.healthSetter.HasHealth() {
		h.logger.Print("not watching; already has health set")
		return nil
	}

	isDeploy := h.alloc.DeploymentID != ""
	deadline := time.Now().Add(h.deadline)

	// Create a context that is canceled when the tracker should shutdown.
	ctx := context.Background()
	ctx, h.cancelFn = context.WithCancel(ctx)

	// Create a new tracker, start it, and watch for health results.
	tracker := h.newTracker(ctx, h.alloc)

	// Create a new done chan and start watching for health updates
	h.watchDone = make(chan struct{})
	go h.watchHealth(ctx, deadline, isDeploy, tracker, h.watchDone)
	return nil
}

// Prerun is called by the goroutine of the alloc runner.
func (h *allocHealthWatcherHook) Prerun() error {
	h.hookLock.Lock()
	defer h.hookLock.Unlock()

	if h.ranOnce {
		// An Update beat Prerun to running the watcher; noop
		return nil
	}

	h.ranOnce = true
	return h.init()
}

// Update is called by the goroutine that gets the updates of the servers.
func (h *allocHealthWatcherHook) Update(alloc *Allocation) error {
	h.hookLock.Lock()
	defer h.hookLock.Unlock()

	// Prevent Prerun from running after an Update
	h.ranOnce = true

	// Cancel the old watcher and create a new one
	h.cancelFn()

	// Wait until the watcher exits
	<-h.watchDone

	// Deployment has changed, reset status
	if alloc.DeploymentID != h.alloc.DeploymentID {
		h.healthSetter.ClearHealth()
	}

	// Update alloc
	h.alloc = alloc

	return h.init()
}

// Postrun stops the watcher.
func (h *allocHealthWatcherHook) Postrun() error {
	h.hookLock.Lock()
	defer h.hookLock.Unlock()

	h.cancelFn()

	// Wait until the watcher exits
	<-h.watchDone

	return nil
}

// watchHealth watches alloc health until it is set, the alloc is stopped, the
// deadline is reached, or the context is canceled. watchHealth will be
// canceled and restarted on Updates so calls are serialized with a lock.
func (h *allocHealthWatcherHook) watchHealth(ctx context.Context, deadline time.Time, isDeploy bool, tracker tracker, done chan<- struct{}) {
	defer close(done)

	// Default to unhealthy for the deadline reached case
	healthy := false

	select {
	case <-ctx.Done():
		// Graceful shutdown
		return

	case <-tracker.AllocStoppedCh():
		// Allocation has stopped so no need to set health
		return

	case <-time.After(time.Until(deadline)):
		// Time is up! Fallthrough to set unhealthy.

	case healthy = <-tracker.HealthyCh():
		// Health received. Fallthrough to set it.
	}

	h.logger.Printf("health set: %v", healthy)
	h.healthSetter.SetHealth(healthy, isDeploy)
}
