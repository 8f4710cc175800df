package fix

import (
	"fmt"

	"github.com/atomvet/atomvet/testdata/kernels/nomad-02-hook-resources/fix/state"
)

// MountFunc mounts a volume and returns where it is on the host.
type MountFunc func(volumeID string) (source string, err error)

type preparedStore interface {
	SetMounts(map[string]state.Mount)
}

// mountStep mounts the volumes of an allocation.
type mountStep struct {
	mount     MountFunc
	volumes   map[string]string
	resources preparedStore
}

func newMountStep(mount MountFunc, volumes map[string]string, resources preparedStore) *mountStep {
	return &mountStep{mount: mount, volumes: volumes, resources: resources}
}

// Name identifies the step in logs.
func (m *mountStep) Name() string { return "mount" }

// Prepare mounts every volume.
func (m *mountStep) Prepare() error {
	mounts := make(map[string]state.Mount, len(m.volumes))
	for alias, id := range m.volumes {
		source, err := m.mount(id)
		if err != nil {
			return fmt.Errorf("mounting %s: %w", id, err)
		}
		mounts[alias] = state.Mount{VolumeID: id, Source: source}
	}

	m.resources.SetMounts(mounts)
	return nil
}
