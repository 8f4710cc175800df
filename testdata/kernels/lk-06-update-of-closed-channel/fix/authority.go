package xdsclient

import (
	"context"
	"fmt"
	"log"
	"sync"
)

type ServerConfig struct {
	URI string
}

// ResourceWatcher is told of the changes of a resource.
type ResourceWatcher interface {
	ResourceChanged(data string)
	AmbientError(err error)
}

type resourceState struct {
	watchers          map[ResourceWatcher]bool       // Set of watchers for this resource.
	cache             string                         // Most recent ACKed update for this resource.
	xdsChannelConfigs map[*xdsChannelWithConfig]bool // Set of xdsChannels where this resource is subscribed.
}

// xdsChannelForADS is used to acquire a reference to an xdsChannel. Returns a
// reference to the xdsChannel and a function to release the same.
type xdsChannelForADS func(*ServerConfig, *authority) (*xdsChannel, func(), error)

// xdsChannelWithConfig is a struct that holds an xdsChannel and its associated
// ServerConfig, along with a cleanup function to release the xdsChannel.
type xdsChannelWithConfig struct {
	channel      *xdsChannel
	serverConfig *ServerConfig
	cleanup      func()
}

// authority provides the functionality required to communicate with a
// management server. It holds references to one or more xdsChannels, one for
// each server configuration in the config, to allow fallback from a primary
// management server to a secondary management server.
type authority struct {
	watcherCallbackSerializer *callbackSerializer // Serializer to run watcher callbacks, owned by the xDS client implementation.
	getChannelForADS          xdsChannelForADS    // Function to get an xdsChannel for ADS, provided by the xDS client implementation.
	xdsClientSerializer       *callbackSerializer // Serializer to run call ins from the xDS client, owned by this authority.

	// The below defined fields must only be accessed in the context of the
	// serializer callback, owned by this authority.
	resources map[string]*resourceState

	// An ordered list of xdsChannels corresponding to the list of server
	// configurations specified for this authority in the config. The
	// ordering specifies the order in which these channels are preferred for
	// fallback.
	xdsChannelConfigs []*xdsChannelWithConfig

	// The current active xdsChannel. Here, active does not mean that the
	// channel has a working connection to the server. It simply points to the
	// channel that we are trying to work with, based on fallback logic.
	activeXDSChannel *xdsChannelWithConfig
}

func newAuthority(ctx context.Context, servers []*ServerConfig, s *callbackSerializer, get xdsChannelForADS) *authority {
	ret := &authority{
		watcherCallbackSerializer: s,
		getChannelForADS:          get,
		xdsClientSerializer:       newCallbackSerializer(ctx),
		resources:                 make(map[string]*resourceState),
	}
	for _, sc := range servers {
		ret.xdsChannelConfigs = append(ret.xdsChannelConfigs, &xdsChannelWithConfig{serverConfig: sc})
	}
	return ret
}

// adsStreamFailure is called to notify the authority about an ADS stream
// failure on an xdsChannel to the management server identified by the provided
// server config.
func (a *authority) adsStreamFailure(serverConfig *ServerConfig, err error) {
	a.xdsClientSerializer.TrySchedule(func(context.Context) {
		a.handleADSStreamFailure(serverConfig, err)
	})
}

// Only executed in the context of a serializer callback.
func (a *authority) handleADSStreamFailure(serverConfig *ServerConfig, err error) {
	if a.activeXDSChannel == nil || serverConfig.URI != a.activeXDSChannel.serverConfig.URI {
		return
	}
	log.Printf("Connection to server %s failed with error: %v", serverConfig.URI, err)

	// Attempt to fallback to servers with lower priority than the failing one.
	currentServerIdx := a.serverIndexForConfig(serverConfig)
	for i := currentServerIdx + 1; i < len(a.xdsChannelConfigs); i++ {
		if a.fallbackToServer(a.xdsChannelConfigs[i]) {
			// Since we have successfully triggered fallback, we don't have to
			// notify watchers about the connectivity error.
			return
		}
	}
	for _, state := range a.resources {
		for watcher := range state.watchers {
			a.watcherCallbackSerializer.TrySchedule(func(context.Context) { watcher.AmbientError(err) })
		}
	}
}

func (a *authority) serverIndexForConfig(sc *ServerConfig) int {
	for i, cfg := range a.xdsChannelConfigs {
		if sc.URI == cfg.serverConfig.URI {
			return i
		}
	}
	panic(fmt.Sprintf("no server config matching %v found", sc))
}

// Only executed in the context of a serializer callback.
func (a *authority) fallbackToServer(xc *xdsChannelWithConfig) bool {
	if xc.channel != nil {
		return false
	}
	channel, cleanup, err := a.getChannelForADS(xc.serverConfig, a)
	if err != nil {
		log.Printf("Failed to create xDS channel: %v", err)
		return false
	}
	xc.channel = channel
	xc.cleanup = cleanup
	a.activeXDSChannel = xc

	// Subscribe to all existing resources from the new management server.
	for name, state := range a.resources {
		xc.channel.subscribe(name)
		state.xdsChannelConfigs[xc] = true
	}
	return true
}

// adsResourceUpdate is called to notify the authority about a resource update
// received on the ADS stream.
func (a *authority) adsResourceUpdate(serverConfig *ServerConfig, updates map[string]string) {
	a.xdsClientSerializer.TrySchedule(func(context.Context) {
		a.handleADSResourceUpdate(serverConfig, updates)
	})
}

// handleADSResourceUpdate processes an update from the xDS client, updating the
// resource cache and notifying any registered watchers of the update.
//
// If the update is received from a higher priority xdsChannel that was
// previously down, we revert to it and close all lower priority xdsChannels.
//
// Only executed in the context of a serializer callback.
func (a *authority) handleADSResourceUpdate(serverConfig *ServerConfig, updates map[string]string) {
	if !a.handleRevertingToPrimaryOnUpdate(serverConfig) {
		return
	}

	for name, data := range updates {
		state, ok := a.resources[name]
		if !ok || state.cache == data {
			continue
		}
		state.cache = data
		for watcher := range state.watchers {
			a.watcherCallbackSerializer.TrySchedule(func(context.Context) { watcher.ResourceChanged(data) })
		}
	}
}

// handleRevertingToPrimaryOnUpdate is called when a resource update is received
// from the xDS client.
//
// If the update is from the currently active server, nothing is done. Else, all
// lower priority servers are closed and the active server is reverted to the
// highest priority server that sent the update.
//
// The return value indicates whether subsequent processing of the resource
// update should continue or not.
//
// This method is only executed in the context of a serializer callback.
func (a *authority) handleRevertingToPrimaryOnUpdate(serverConfig *ServerConfig) bool {
	if a.activeXDSChannel == nil {
		// This can happen only when all watches on this authority have been
		// removed, and the xdsChannels have been closed. This update should
		// have been received prior to closing of the channel, and therefore
		// must be ignored.
		return false
	}

	if serverConfig.URI == a.activeXDSChannel.serverConfig.URI {
		// If the resource update is from the current active server, nothing
		// needs to be done from fallback point of view.
		return true
	}

	log.Printf("Received update from non-active server %q", serverConfig.URI)

	// If the resource update is not from the current active server, it means
	// that we have received an update either from:
	// - a server that has a higher priority than the current active server and
	//   therefore we need to revert back to it and close all lower priority
	//   servers, or,
	// - a server that has a lower priority than the current active server. This
	//   can happen when the server close and the response race against each
	//   other. We can safely ignore this update, since we have already reverted
	//   to the higher priority server, and closed all lower priority servers.
	serverIdx := a.serverIndexForConfig(serverConfig)
	activeServerIdx := a.serverIndexForConfig(a.activeXDSChannel.serverConfig)
	if activeServerIdx < serverIdx {
		return false
	}

	a.activeXDSChannel = a.xdsChannelConfigs[serverIdx]

	// Close all lower priority channels.
	for i := serverIdx + 1; i < len(a.xdsChannelConfigs); i++ {
		cfg := a.xdsChannelConfigs[i]
		for name, state := range a.resources {
			if state.xdsChannelConfigs[cfg] {
				cfg.channel.unsubscribe(name)
				delete(state.xdsChannelConfigs, cfg)
			}
		}
		// Release the reference to the channel.
		if cfg.cleanup != nil {
			cfg.cleanup()
			cfg.cleanup = nil
		}
		cfg.channel = nil
	}
	return true
}

// watchResource registers a new watcher for the resource name. It returns a
// function that can be called to cancel the watch.
func (a *authority) watchResource(name string, watcher ResourceWatcher) func() {
	done := make(chan struct{})
	cleanup := func() {}
	ok := a.xdsClientSerializer.TrySchedule(func(context.Context) {
		defer close(done)
		xc, err := a.xdsChannelToUse()
		if err != nil {
			a.watcherCallbackSerializer.TrySchedule(func(context.Context) { watcher.AmbientError(err) })
			return
		}
		state := a.resources[name]
		if state == nil {
			state = &resourceState{
				watchers:          make(map[ResourceWatcher]bool),
				xdsChannelConfigs: map[*xdsChannelWithConfig]bool{xc: true},
			}
			a.resources[name] = state
			xc.channel.subscribe(name)
		}
		state.watchers[watcher] = true
		if resource := state.cache; resource != "" {
			a.watcherCallbackSerializer.TrySchedule(func(context.Context) { watcher.ResourceChanged(resource) })
		}
		cleanup = a.unwatchResource(name, watcher)
	})
	if !ok {
		return cleanup
	}
	<-done
	return cleanup
}

func (a *authority) unwatchResource(name string, watcher ResourceWatcher) func() {
	return sync.OnceFunc(func() {
		done := make(chan struct{})
		if !a.xdsClientSerializer.TrySchedule(func(context.Context) {
			defer close(done)
			state := a.resources[name]
			delete(state.watchers, watcher)
			if len(state.watchers) > 0 {
				return
			}
			for xcc := range state.xdsChannelConfigs {
				xcc.channel.unsubscribe(name)
			}
			delete(a.resources, name)
			if len(a.resources) == 0 {
				a.closeXDSChannels()
			}
		}) {
			return
		}
		<-done
	})
}

// Only executed in the context of a serializer callback.
func (a *authority) xdsChannelToUse() (*xdsChannelWithConfig, error) {
	if a.activeXDSChannel != nil {
		return a.activeXDSChannel, nil
	}
	first := a.xdsChannelConfigs[0]
	xc, cleanup, err := a.getChannelForADS(first.serverConfig, a)
	if err != nil {
		return nil, err
	}
	first.channel = xc
	first.cleanup = cleanup
	a.activeXDSChannel = first
	return first, nil
}

// closeXDSChannels closes all the xDS channels associated with this authority,
// when there are no more watchers for any resource type.
//
// Only executed in the context of a serializer callback.
func (a *authority) closeXDSChannels() {
	for _, xcc := range a.xdsChannelConfigs {
		if xcc.cleanup != nil {
			xcc.cleanup()
			xcc.cleanup = nil
		}
		xcc.channel = nil
	}
	a.activeXDSChannel = nil
}
