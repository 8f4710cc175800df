package xdsclient

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"
)

type watchState int

const (
	watchStateStarted   watchState = iota // Watch started, request not yet set.
	watchStateRequested                   // Request sent for resource being watched.
	watchStateReceived                    // Response received for resource being watched.
	watchStateTimeout                     // Watch timer expired, no response.
	watchStateCanceled                    // Watch cancelled.
)

// ResourceData contains the configuration data sent by the xDS management
// server.
type ResourceData interface {
	Equal(ResourceData) bool
}

// ResourceWatcher wraps the callbacks to be invoked for different events
// corresponding to the resource being watched.
type ResourceWatcher interface {
	OnUpdate(ResourceData)
	OnError(error)
	OnResourceDoesNotExist()
}

// UpdateMetadata contains the metadata for each update.
type UpdateMetadata struct {
	Status  string
	Version string
	Err     error
}

type resourceDataErrTuple struct {
	resource ResourceData
	err      error
}

type resourceState struct {
	watchers map[ResourceWatcher]bool // Set of watchers for this resource
	cache    ResourceData             // Most recent ACKed update for this resource
	md       UpdateMetadata           // Metadata for the most recent update

	// Common watch state for all watchers of this resource.
	wTimer *time.Timer // Expiry timer
	wState watchState  // State of the watch
}

// callbackSerializer invokes the scheduled callbacks in order.
type callbackSerializer struct {
	callbacks chan func(context.Context)
}

func newCallbackSerializer(ctx context.Context) *callbackSerializer {
	t := &callbackSerializer{callbacks: make(chan func(context.Context), 1024)}
	go t.run(ctx)
	return t
}

func (t *callbackSerializer) Schedule(f func(context.Context)) { t.callbacks <- f }

func (t *callbackSerializer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-t.callbacks:
			f(ctx)
		}
	}
}

// xdsTransport is the underlying transport to the management server. Its
// goroutines call transportOnSendHandler after a request has been written to
// the stream and handleResourceUpdate for every response read from it.
type xdsTransport interface {
	// SendRequest queues a request for the full set of resources of the type.
	SendRequest(typeURL string, resources []string)
	Close()
}

// authority wraps all state associated with a single management server.
type authority struct {
	serializer         *callbackSerializer
	transport          xdsTransport
	watchExpiryTimeout time.Duration
	logger             *log.Logger

	// A two level map containing the state of all the resources being watched.
	resourcesMu sync.Mutex
	resources   map[string]map[string]*resourceState
	closed      bool
}

func newAuthority(ctx context.Context, timeout time.Duration, logger *log.Logger, newTransport func(*authority) xdsTransport) *authority {
	a := &authority{
		serializer:         newCallbackSerializer(ctx),
		watchExpiryTimeout: timeout,
		logger:             logger,
		resources:          make(map[string]map[string]*resourceState),
	}
	a.transport = newTransport(a)
	return a
}

// transportOnSendHandler is called by the underlying transport when it sends a
// resource request successfully. Timers are activated for resources waiting for
// a response.
func (a *authority) transportOnSendHandler(rType string, resourceNames []string) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()
	a.startWatchTimersLocked(rType, resourceNames)
}

// startWatchTimersLocked is invoked upon transport.OnSend() callback with resources
// requested on the underlying ADS stream. This satisfies the conditions to start
// watch timers per A57.
func (a *authority) startWatchTimersLocked(rType string, resourceNames []string) {
	resourceStates := a.resources[rType]
	for _, resourceName := range resourceNames {
		if state, ok := resourceStates[resourceName]; ok {
			if state.wState != watchStateStarted {
				continue
			}
			state.wTimer = time.AfterFunc(a.watchExpiryTimeout, func() {
				a.handleWatchTimerExpiry(rType, resourceName, state)
			})
			state.wState = watchStateRequested
		}
	}
}

func (a *authority) handleResourceUpdate(rType string, updates map[string]resourceDataErrTuple, md UpdateMetadata) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	resourceStates := a.resources[rType]
	for name, uErr := range updates {
		if state, ok := resourceStates[name]; ok {
			// Cancel the expiry timer associated with the resource once a
			// response is received, irrespective of whether the update is a
			// good one or not.
			if state.wState == watchStateRequested {
				state.wTimer.Stop()
				state.wState = watchStateReceived
			}

			if uErr.err != nil {
				// On error, keep previous version of the resource. But update
				// status and error.
				state.md.Err = uErr.err
				for watcher := range state.watchers {
					err := uErr.err
					a.serializer.Schedule(func(context.Context) { watcher.OnError(err) })
				}
				continue
			}
			// Notify watchers only if this is a first time update or it is different
			// from the one currently cached.
			if state.cache == nil || !state.cache.Equal(uErr.resource) {
				for watcher := range state.watchers {
					resource := uErr.resource
					a.serializer.Schedule(func(context.Context) { watcher.OnUpdate(resource) })
				}
			}
			// Sync cache.
			state.cache = uErr.resource
			state.md = md
			state.md.Status = "ACKed"
		}
	}
}

// newConnectionError is called by the underlying transport when it receives a
// connection error. The error will be forwarded to all the resource watchers.
func (a *authority) newConnectionError(err error) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()
	for _, rType := range a.resources {
		for _, state := range rType {
			for watcher := range state.watchers {
				a.serializer.Schedule(func(context.Context) {
					watcher.OnError(fmt.Errorf("xds: error received from xDS stream: %v", err))
				})
			}
		}
	}
}

func (a *authority) watchResource(rType, resourceName string, watcher ResourceWatcher) func() {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	resources := a.resources[rType]
	if resources == nil {
		resources = make(map[string]*resourceState)
		a.resources[rType] = resources
	}

	// If this is the first watch for this resource, instruct the transport
	// layer to send a DiscoveryRequest for the same.
	state := resources[resourceName]
	if state == nil {
		state = &resourceState{
			watchers: make(map[ResourceWatcher]bool),
			md:       UpdateMetadata{Status: "Requested"},
			wState:   watchStateStarted,
		}
		resources[resourceName] = state
		a.sendDiscoveryRequestLocked(rType, resources)
	}
	// Always add the new watcher to the set of watchers.
	state.watchers[watcher] = true

	// If we have a cached copy of the resource, notify the new watcher.
	if state.cache != nil {
		resource := state.cache
		a.serializer.Schedule(func(context.Context) { watcher.OnUpdate(resource) })
	}

	return func() {
		a.resourcesMu.Lock()
		defer a.resourcesMu.Unlock()

		delete(state.watchers, watcher)
		if len(state.watchers) > 0 || state.wState == watchStateCanceled {
			return
		}
		// There are no more watchers for this resource.
		state.wState = watchStateCanceled
		delete(resources, resourceName)
		a.sendDiscoveryRequestLocked(rType, resources)
	}
}

func (a *authority) handleWatchTimerExpiry(rType, resourceName string, state *resourceState) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()
	if a.closed {
		return
	}
	a.logger.Printf("Watch for resource %q of type %s timed out", resourceName, rType)

	switch state.wState {
	case watchStateRequested:
		// This is the only state where we need to handle the timer expiry by
		// invoking appropriate watch callbacks. This is handled outside the switch.
	default:
		return
	}

	state.wState = watchStateTimeout
	// With the watch timer firing, it is safe to assume that the resource does
	// not exist on the management server.
	state.cache = nil
	state.md = UpdateMetadata{Status: "NotExist"}
	for watcher := range state.watchers {
		a.serializer.Schedule(func(context.Context) { watcher.OnResourceDoesNotExist() })
	}
}

func (a *authority) sendDiscoveryRequestLocked(rType string, resources map[string]*resourceState) {
	names := make([]string, 0, len(resources))
	for name := range resources {
		names = append(names, name)
	}
	a.transport.SendRequest(rType, names)
}

func (a *authority) close() {
	a.transport.Close()
	a.resourcesMu.Lock()
	a.closed = true
	a.resourcesMu.Unlock()
}
