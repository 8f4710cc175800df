// Package volumes attaches block devices to nodes.
package volumes

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Errors of the manager.
var (
	ErrNotFound = errors.New("volumes: not found")
	ErrInUse    = errors.New("volumes: in use")
)

// Hypervisor does the work on the nodes.
type Hypervisor interface {
	Plug(ctx context.Context, node, volume string) (device string, err error)
	Unplug(ctx context.Context, node, volume string) error
	Destroy(ctx context.Context, volume string) error
}

// Volume is a block device.
type Volume struct {
	ID     string
	GiB    int
	Node   string
	Device string
}

// Available reports whether nobody uses the volume.
func (v Volume) Available() bool { return v.Node == "" }

// Manager is the control plane of volumes.
type Manager struct {
	hv  Hypervisor
	ops keyLock

	mu   sync.RWMutex
	vols map[string]Volume
}

// NewManager returns an empty manager.
func NewManager(hv Hypervisor) *Manager {
	return &Manager{hv: hv, vols: make(map[string]Volume)}
}

func (m *Manager) load(id string) (Volume, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.vols[id]
	if !ok {
		return Volume{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return v, nil
}

func (m *Manager) save(v Volume) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vols[v.ID] = v
}

// Create adds an empty volume.
func (m *Manager) Create(id string, gib int) error {
	defer m.ops.Lock(id)()
	if _, err := m.load(id); err == nil {
		return ErrInUse
	}
	m.save(Volume{ID: id, GiB: gib})
	return nil
}

func (m *Manager) reserve(id string) (Volume, error) {
	unlock := m.ops.Lock(id)
	defer unlock()
	v, err := m.load(id)
	if err != nil {
		return Volume{}, err
	}
	if !v.Available() {
		return Volume{}, fmt.Errorf("%w: %s on %s", ErrInUse, id, v.Node)
	}
	return v, nil
}

// Attach plugs a volume into a node.
func (m *Manager) Attach(ctx context.Context, id, node string) (string, error) {
	v, err := m.reserve(id)
	if err != nil {
		return "", err
	}
	dev, err := m.hv.Plug(ctx, node, id)
	if err != nil {
		return "", fmt.Errorf("volumes: plug %s into %s: %w", id, node, err)
	}
	v.Node, v.Device = node, dev
	m.save(v)
	return dev, nil
}

// Detach takes a volume off its node; it is fine when it is off already.
func (m *Manager) Detach(ctx context.Context, id string) error {
	defer m.ops.Lock(id)()
	v, err := m.load(id)
	if err != nil || v.Available() {
		return err
	}
	if err := m.hv.Unplug(ctx, v.Node, id); err != nil {
		return fmt.Errorf("volumes: unplug %s: %w", id, err)
	}
	v.Node, v.Device = "", ""
	m.save(v)
	return nil
}

// Resize grows a volume.
func (m *Manager) Resize(id string, gib int) error {
	defer m.ops.Lock(id)()
	v, err := m.load(id)
	if err != nil {
		return err
	}
	if gib <= v.GiB {
		return nil
	}
	v.GiB = gib
	m.save(v)
	return nil
}

// Delete destroys a volume which is not attached.
func (m *Manager) Delete(ctx context.Context, id string) error {
	defer m.ops.Lock(id)()
	v, err := m.load(id)
	if err != nil {
		return err
	}
	if !v.Available() {
		return fmt.Errorf("%w: %s on %s", ErrInUse, id, v.Node)
	}
	if err := m.hv.Destroy(ctx, id); err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.vols, id)
	m.mu.Unlock()
	return nil
}

// Evacuate detaches all volumes of a node which died.
func (m *Manager) Evacuate(ctx context.Context, node string) error {
	m.mu.RLock()
	var ids []string
	for id, v := range m.vols {
		if v.Node == node {
			ids = append(ids, id)
		}
	}
	m.mu.RUnlock()
	var errs []error
	for _, id := range ids {
		if err := m.evict(ctx, id, node); err != nil && !errors.Is(err, ErrNotFound) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (m *Manager) evict(ctx context.Context, id, node string) error {
	defer m.ops.Lock(id)()
	v, err := m.load(id)
	if err != nil || v.Node != node {
		return err
	}
	if err := m.hv.Unplug(ctx, node, id); err != nil {
		return err
	}
	v.Node, v.Device = "", ""
	m.save(v)
	return nil
}
