package hostvolumemanager

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
)

var ErrPluginNotExists = errors.New("no such plugin")

// ClientHostVolumeCreateRequest asks the client to create a volume.
type ClientHostVolumeCreateRequest struct {
	ID         string
	Name       string
	PluginID   string
	Parameters map[string]string
}

type ClientHostVolumeCreateResponse struct {
	VolumeName string
	VolumeID   string
	HostPath   string
}

type ClientHostVolumeDeleteRequest struct {
	ID       string
	Name     string
	PluginID string
}

// HostVolumeState is what is kept on disk over a restart.
type HostVolumeState struct {
	ID        string
	CreateReq *ClientHostVolumeCreateRequest
}

// HostVolumeStateManager manages the lifecycle of volumes in client state. It
// is safe for concurrent use.
type HostVolumeStateManager interface {
	PutDynamicHostVolume(*HostVolumeState) error
	GetDynamicHostVolumes() ([]*HostVolumeState, error)
	DeleteDynamicHostVolume(string) error
}

// HostVolumePlugin creates and deletes the directories of the volumes.
type HostVolumePlugin interface {
	Create(ctx context.Context, req *ClientHostVolumeCreateRequest) (string, error)
	Delete(ctx context.Context, req *ClientHostVolumeDeleteRequest) error
}

// ClientHostVolumeConfig is a volume of the node.
type ClientHostVolumeConfig struct {
	Name string
	ID   string
	Path string
}

// Node is the node as the server knows it.
type Node struct {
	l           sync.RWMutex
	id          string
	hostVolumes map[string]*ClientHostVolumeConfig
}

func NewNode(id string) *Node {
	return &Node{id: id, hostVolumes: make(map[string]*ClientHostVolumeConfig)}
}

// HostVolume returns the volume with the name, if there is one.
func (n *Node) HostVolume(name string) (*ClientHostVolumeConfig, bool) {
	n.l.RLock()
	defer n.l.RUnlock()
	v, ok := n.hostVolumes[name]
	return v, ok
}

// updateFromHostVol is the fingerprint of a volume; nil removes it.
func (n *Node) updateFromHostVol(name string, vol *ClientHostVolumeConfig) {
	n.l.Lock()
	defer n.l.Unlock()
	if vol == nil {
		delete(n.hostVolumes, name)
		return
	}
	n.hostVolumes[name] = vol
}

// HostVolumeManager executes plugins, manages volume metadata in client state,
// and registers volumes with the client node.
type HostVolumeManager struct {
	plugins        map[string]HostVolumePlugin
	stateMgr       HostVolumeStateManager
	updateNodeVols func(name string, vol *ClientHostVolumeConfig)
}

// NewHostVolumeManager restores the volumes before the node is registered.
func NewHostVolumeManager(ctx context.Context, node *Node, plugins map[string]HostVolumePlugin, stateMgr HostVolumeStateManager) (*HostVolumeManager, error) {
	hvm := &HostVolumeManager{
		plugins:        plugins,
		stateMgr:       stateMgr,
		updateNodeVols: node.updateFromHostVol,
	}
	if err := hvm.restoreFromState(ctx); err != nil {
		return nil, err
	}
	return hvm, nil
}

// Create runs the appropriate plugin for the given request, saves the request
// to state, and updates the node with the volume. Each RPC has its goroutine.
func (hvm *HostVolumeManager) Create(ctx context.Context, req *ClientHostVolumeCreateRequest) (*ClientHostVolumeCreateResponse, error) {
	plug, err := hvm.getPlugin(req.PluginID)
	if err != nil {
		return nil, err
	}

	path, err := plug.Create(ctx, req)
	if err != nil {
		return nil, err
	}

	volState := &HostVolumeState{
		ID:        req.ID,
		CreateReq: req,
	}
	if err := hvm.stateMgr.PutDynamicHostVolume(volState); err != nil {
		// if we fail to write to state, delete the volume so it isn't left
		// lying around without Nomad knowing about it.
		log.Printf("failed to save volume in state, so deleting: %v", err)
		delErr := plug.Delete(ctx, &ClientHostVolumeDeleteRequest{
			ID:       req.ID,
			PluginID: req.PluginID,
		})
		return nil, errors.Join(err, delErr)
	}

	hvm.updateNodeVols(req.Name, genVolConfig(req, path))

	return &ClientHostVolumeCreateResponse{
		VolumeName: req.Name,
		VolumeID:   req.ID,
		HostPath:   path,
	}, nil
}

// Delete runs the appropriate plugin for the given request, removes it from
// state, and updates the node to remove the volume. The server has checked that
// the volume exists, and does not send two requests for one volume at a time.
func (hvm *HostVolumeManager) Delete(ctx context.Context, req *ClientHostVolumeDeleteRequest) error {
	plug, err := hvm.getPlugin(req.PluginID)
	if err != nil {
		return err
	}
	if err := plug.Delete(ctx, req); err != nil {
		return err
	}
	if err := hvm.stateMgr.DeleteDynamicHostVolume(req.ID); err != nil {
		return err // bail so a user may retry
	}

	hvm.updateNodeVols(req.Name, nil)
	return nil
}

func (hvm *HostVolumeManager) getPlugin(id string) (HostVolumePlugin, error) {
	if plug, ok := hvm.plugins[id]; ok {
		return plug, nil
	}
	return nil, ErrPluginNotExists
}

// restoreFromState runs Create for each volume, so volumes are restored upon
// agent restart or host reboot.
func (hvm *HostVolumeManager) restoreFromState(ctx context.Context) error {
	vols, err := hvm.stateMgr.GetDynamicHostVolumes()
	if err != nil {
		return err
	}
	for _, vol := range vols {
		plug, err := hvm.getPlugin(vol.CreateReq.PluginID)
		if err != nil {
			return err
		}
		path, err := plug.Create(ctx, vol.CreateReq)
		if err != nil {
			// plugin execution errors are only logged
			log.Printf("failed to restore: %v", err)
			continue
		}
		hvm.updateNodeVols(vol.CreateReq.Name, genVolConfig(vol.CreateReq, path))
	}
	return nil
}

func genVolConfig(req *ClientHostVolumeCreateRequest, path string) *ClientHostVolumeConfig {
	return &ClientHostVolumeConfig{Name: req.Name, ID: req.ID, Path: path}
}

// HostVolume is the endpoint of the server.
type HostVolume struct {
	nodes  []*Node
	client func(nodeID string) *HostVolumeManager
	newID  func() string
}

// Create places the volume on a node and has the client create it.
func (v *HostVolume) Create(ctx context.Context, name, pluginID string, params map[string]string) (*ClientHostVolumeCreateResponse, error) {
	node, err := v.placeHostVolume(name)
	if err != nil {
		return nil, err
	}
	return v.client(node.id).Create(ctx, &ClientHostVolumeCreateRequest{
		ID:         v.newID(),
		Name:       name,
		PluginID:   pluginID,
		Parameters: params,
	})
}

// placeHostVolume finds a node that has no volume of the name.
func (v *HostVolume) placeHostVolume(name string) (*Node, error) {
	for _, candidate := range v.nodes {
		if _, hasVol := candidate.HostVolume(name); hasVol {
			continue
		}
		return candidate, nil
	}
	return nil, fmt.Errorf("no node meets constraints for volume %q", name)
}
