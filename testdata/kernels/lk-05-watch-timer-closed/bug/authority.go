package xdsclient

import (
	"context"
	"errors"
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

// ResourceWatcher is told of the changes of a resource.
type ResourceWatcher interface {
	OnUpdate(data string)
	OnError(err error)
	OnResourceDoesNotExist()
}

type resourceState struct {
	watchers map[ResourceWatcher]bool // Set of watchers for this resource
	cache    string                   // Most recent ACKed update for this resource

	// Common watch state for all watchers of this resource.
	wTimer *time.Timer // Expiry timer
	wState watchState  // State of the watch
}

// serializer runs the callbacks of the watchers in order, on one goroutine.
type serializer interface {
	Schedule(func(context.Context))
}

// authority wraps all state associated with a single management server. It
// contains the transport used to communicate with the management server and a
// cache of resource state for resources requested from the management server.
type authority struct {
	serverURI          string
	refCount           int        // Reference count of watches referring to this authority
	serializer         serializer // Callback serializer for invoking watch callbacks
	transport          *transport // Underlying xDS transport to the management server
	watchExpiryTimeout time.Duration

	// A map containing the state of all the resources being watched.
	resourcesMu sync.Mutex
	resources   map[string]*resourceState
}

func newAuthority(serverURI string, s serializer, dial dialFunc, watchExpiryTimeout time.Duration) (*authority, error) {
	ret := &authority{
		serverURI:          serverURI,
		serializer:         s,
		watchExpiryTimeout: watchExpiryTimeout,
		resources:          make(map[string]*resourceState),
	}
	tr, err := newTransport(serverURI, dial, ret.handleResourceUpdate, ret.newConnectionError, ret.transportOnSendHandler)
	if err != nil {
		return nil, fmt.Errorf("creating new transport to %q: %v", serverURI, err)
	}
	ret.transport = tr
	return ret, nil
}

// transportOnSendHandler is called by the underlying transport when it sends a
// resource request successfully. Timers are activated for resources waiting for
// a response.
func (a *authority) transportOnSendHandler(names []string) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	for _, name := range names {
		state, ok := a.resources[name]
		if !ok || state.wState != watchStateStarted {
			continue
		}
		name := name
		state.wTimer = time.AfterFunc(a.watchExpiryTimeout, func() {
			a.handleWatchTimerExpiry(name, state)
		})
		state.wState = watchStateRequested
	}
}

// handleResourceUpdate is called by the transport with a response.
func (a *authority) handleResourceUpdate(updates map[string]string) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	for name, data := range updates {
		state, ok := a.resources[name]
		if !ok {
			continue
		}
		// Cancel the expiry timer associated with the resource once a response is
		// received, irrespective of whether the update is a good one or not.
		if state.wState == watchStateStarted || state.wState == watchStateRequested {
			if state.wTimer != nil {
				state.wTimer.Stop()
			}
			state.wState = watchStateReceived
		}
		if state.cache == data {
			continue
		}
		state.cache = data
		for watcher := range state.watchers {
			watcher := watcher
			a.serializer.Schedule(func(context.Context) { watcher.OnUpdate(data) })
		}
	}
}

// newConnectionError is called by the underlying transport when it receives a
// connection error. The error will be forwarded to all the resource watchers.
func (a *authority) newConnectionError(err error) {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	a.stopWatchTimersLocked()

	for _, state := range a.resources {
		// Propagate the connection error from the transport layer to all watchers.
		for watcher := range state.watchers {
			watcher := watcher
			a.serializer.Schedule(func(context.Context) { watcher.OnError(err) })
		}
	}
}

// stopWatchTimersLocked is invoked upon connection errors to stops watch timers
// for resources that have been requested, but not yet responded to by the management
// server.
//
// Caller must hold a.resourcesMu.
func (a *authority) stopWatchTimersLocked() {
	for name, state := range a.resources {
		if state.wState != watchStateRequested {
			continue
		}
		if !state.wTimer.Stop() {
			// If the timer has already fired, it means that the timer watch expiry
			// callback is blocked on the same lock that we currently hold. Don't change
			// the watch state and instead let the watch expiry callback handle it.
			log.Printf("Watch timer for resource %v already fired. Ignoring here.", name)
			continue
		}
		state.wTimer = nil
		state.wState = watchStateStarted
	}
}

// Increments the reference count. Caller must hold parent's authorityMu.
func (a *authority) refLocked() {
	a.refCount++
}

// Decrements the reference count. Caller must hold parent's authorityMu.
func (a *authority) unrefLocked() int {
	a.refCount--
	return a.refCount
}

func (a *authority) close() {
	a.transport.Close()
}

func (a *authority) watchResource(name string, watcher ResourceWatcher) func() {
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	// Lookup the resourceState for the particular resource that the watch is
	// being registered for. If this is the first watch for this resource,
	// instruct the transport layer to send a DiscoveryRequest for the same.
	state := a.resources[name]
	if state == nil {
		state = &resourceState{
			watchers: make(map[ResourceWatcher]bool),
			wState:   watchStateStarted,
		}
		a.resources[name] = state
		a.sendDiscoveryRequestLocked()
	}
	// Always add the new watcher to the set of watchers.
	state.watchers[watcher] = true

	// If we have a cached copy of the resource, notify the new watcher.
	if state.cache != "" {
		resource := state.cache
		a.serializer.Schedule(func(context.Context) { watcher.OnUpdate(resource) })
	}

	return func() {
		a.resourcesMu.Lock()
		defer a.resourcesMu.Unlock()

		// Delete this particular watcher from the list of watchers, so that its
		// callback will not be invoked in the future.
		delete(state.watchers, watcher)
		if len(state.watchers) > 0 {
			return
		}

		// There are no more watchers for this resource, delete the state
		// associated with it, and instruct the transport to send a request
		// which does not include this resource name.
		state.wState = watchStateCanceled
		delete(a.resources, name)
		a.sendDiscoveryRequestLocked()
	}
}

func (a *authority) handleWatchTimerExpiry(name string, state *resourceState) {
	log.Printf("Watch for resource %q timed out", name)
	a.resourcesMu.Lock()
	defer a.resourcesMu.Unlock()

	switch state.wState {
	case watchStateRequested:
		// This is the only state where we need to handle the timer expiry by
		// invoking appropriate watch callbacks. This is handled outside the switch.
	case watchStateCanceled:
		return
	default:
		log.Printf("Unexpected watch state %q for resource %q.", state.wState, name)
		return
	}

	state.wState = watchStateTimeout
	// With the watch timer firing, it is safe to assume that the resource does
	// not exist on the management server.
	state.cache = ""
	for watcher := range state.watchers {
		watcher := watcher
		a.serializer.Schedule(func(context.Context) { watcher.OnResourceDoesNotExist() })
	}
}

// sendDiscoveryRequestLocked sends a discovery request for the names. Caller
// must hold a.resourcesMu, so that a consistent snapshot of resource names is
// being requested.
func (a *authority) sendDiscoveryRequestLocked() {
	names := make([]string, 0, len(a.resources))
	for name := range a.resources {
		names = append(names, name)
	}
	a.transport.SendRequest(names)
}

var errClientClosed = errors.New("the xds-client is closed")
