// Package dynamicplugins provides a registry of plugins that are running as
// tasks of the client.
package dynamicplugins

import (
	"container/list"
	"errors"
	"fmt"
	"sync"
)

const (
	PluginTypeCSIController = "csi-controller"
	PluginTypeCSINode       = "csi-node"
)

// RegistryState is what we persist in the client state store. It contains
// a map of plugin types to maps of plugin name -> list of *PluginInfo, sorted
// by recency of registration
type RegistryState struct {
	Plugins map[string]map[string]*list.List
}

type PluginDispenser func(info *PluginInfo) (interface{}, error)

// StateStorage is used to persist the dynamic plugin registry's state
// across agent restarts.
type StateStorage interface {
	// PutDynamicPluginRegistryState is used to store the registry state
	PutDynamicPluginRegistryState(state *RegistryState) error
}

// PluginInfo is the metadata that is stored by the registry for a given plugin.
type PluginInfo struct {
	Name    string
	Type    string
	Version string

	// SocketPath is the path to the plugins api socket.
	SocketPath string

	// AllocID tracks the allocation running the plugin
	AllocID string
}

// EventType is the enum of events that will be emitted by a Registry's
// PluginsUpdatedCh.
type EventType string

const (
	EventTypeRegistered   EventType = "registered"
	EventTypeDeregistered EventType = "deregistered"
)

// PluginUpdateEvent is a struct that is sent over a PluginsUpdatedCh when
// plugins are added or removed from the registry.
type PluginUpdateEvent struct {
	EventType EventType
	Info      *PluginInfo
}

// Registry is the registry of dynamic plugins.
type Registry struct {
	plugins     map[string]map[string]*list.List
	pluginsLock sync.RWMutex

	subscribers []chan *PluginUpdateEvent
	dispensers  map[string]PluginDispenser
	state       StateStorage
}

// NewRegistry takes a map of `plugintype` to PluginDispenser functions
// that should be used to vend clients for plugins to be used.
func NewRegistry(state StateStorage, dispensers map[string]PluginDispenser, subscribers ...chan *PluginUpdateEvent) *Registry {
	return &Registry{
		plugins:     make(map[string]map[string]*list.List),
		subscribers: subscribers,
		dispensers:  dispensers,
		state:       state,
	}
}

func (d *Registry) RegisterPlugin(info *PluginInfo) error {
	if info.Type == "" {
		// This error shouldn't make it to a production cluster and is to aid
		// developers during the development of new plugin types.
		return errors.New("Plugin.Type must not be empty")
	}
	if info.Name == "" {
		return errors.New("Plugin.Name must not be empty")
	}

	d.pluginsLock.Lock()
	defer d.pluginsLock.Unlock()

	pmap, ok := d.plugins[info.Type]
	if !ok {
		pmap = make(map[string]*list.List)
		d.plugins[info.Type] = pmap
	}
	infos, ok := pmap[info.Name]
	if !ok {
		infos = list.New()
		pmap[info.Name] = infos
	}

	var alreadyRegistered bool
	for e := infos.Front(); e != nil; e = e.Next() {
		if e.Value.(*PluginInfo).AllocID == info.AllocID {
			alreadyRegistered = true
			break
		}
	}
	if !alreadyRegistered {
		infos.PushFront(info)
		d.broadcast(&PluginUpdateEvent{
			EventType: EventTypeRegistered,
			Info:      info,
		})
	}

	return d.sync()
}

func (d *Registry) DeregisterPlugin(ptype, name, allocID string) error {
	d.pluginsLock.Lock()
	defer d.pluginsLock.Unlock()

	if ptype == "" {
		return errors.New("must specify plugin type to deregister")
	}
	if name == "" {
		return errors.New("must specify plugin name to deregister")
	}
	if allocID == "" {
		return errors.New("must specify plugin allocation ID to deregister")
	}

	pmap, ok := d.plugins[ptype]
	if !ok {
		// If this occurs there's a bug in the registration handler.
		return fmt.Errorf("no plugins registered for type: %s", ptype)
	}

	infos, ok := pmap[name]
	if !ok {
		// plugin already deregistered, don't send events or try re-deleting.
		return nil
	}

	var info *PluginInfo
	for e := infos.Front(); e != nil; e = e.Next() {
		if i := e.Value.(*PluginInfo); i.AllocID == allocID {
			info = i
			infos.Remove(e)
			break
		}
	}
	if info == nil {
		return nil
	}

	d.broadcast(&PluginUpdateEvent{
		EventType: EventTypeDeregistered,
		Info:      info,
	})

	return d.sync()
}

func (d *Registry) ListPlugins(ptype string) []*PluginInfo {
	d.pluginsLock.RLock()
	defer d.pluginsLock.RUnlock()

	pmap, ok := d.plugins[ptype]
	if !ok {
		return nil
	}

	plugins := make([]*PluginInfo, 0, len(pmap))
	for _, infos := range pmap {
		if infos.Front() != nil {
			plugins = append(plugins, infos.Front().Value.(*PluginInfo))
		}
	}
	return plugins
}

func (d *Registry) DispensePlugin(ptype string, name string) (interface{}, error) {
	d.pluginsLock.RLock()
	defer d.pluginsLock.RUnlock()

	dispenseFunc, ok := d.dispensers[ptype]
	if !ok {
		return nil, fmt.Errorf("no plugin dispenser found for type: %s", ptype)
	}
	infos, ok := d.plugins[ptype][name]
	if !ok || infos.Front() == nil {
		return nil, fmt.Errorf("plugin %s for type %s not found", name, ptype)
	}
	return dispenseFunc(infos.Front().Value.(*PluginInfo))
}

// broadcast is called with pluginsLock held.
func (d *Registry) broadcast(e *PluginUpdateEvent) {
	for _, ch := range d.subscribers {
		ch <- e
	}
}

func (d *Registry) sync() error {
	if d.state != nil {
		storedState := &RegistryState{Plugins: d.plugins}
		return d.state.PutDynamicPluginRegistryState(storedState)
	}
	return nil
}
