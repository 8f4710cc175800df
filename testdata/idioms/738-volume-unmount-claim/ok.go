package volume

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Errors of the manager.
var (
	ErrInUse      = errors.New("volume: in use")
	ErrNotMounted = errors.New("volume: not mounted")
)

// Mounter mounts file systems.
type Mounter interface {
	Mount(ctx context.Context, source, target string) error
	Unmount(ctx context.Context, target string) error
}

type mount struct {
	target string
	users  int
	busy   chan struct{} // not nil while a mount or unmount is under way
	ready  bool
}

// Manager mounts volumes for containers.
type Manager struct {
	m    Mounter
	root string

	mu     sync.Mutex
	mounts map[string]*mount
}

// NewManager returns a manager that mounts below root.
func NewManager(m Mounter, root string) *Manager {
	return &Manager{m: m, root: root, mounts: make(map[string]*mount)}
}

// claim returns the mount of a volume that nobody else works on. The caller
// gives it back with finish.
func (v *Manager) claim(ctx context.Context, name string) (*mount, error) {
	for {
		v.mu.Lock()
		mt, ok := v.mounts[name]
		if !ok {
			mt = &mount{target: v.root + "/" + name}
			v.mounts[name] = mt
		}
		wait := mt.busy
		if wait == nil {
			mt.busy = make(chan struct{})
			v.mu.Unlock()
			return mt, nil
		}
		v.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (v *Manager) finish(name string, mt *mount, change func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change()
	close(mt.busy)
	mt.busy = nil
	if !mt.ready {
		delete(v.mounts, name)
	}
}

func (v *Manager) state(mt *mount) (ready bool, users int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return mt.ready, mt.users
}

// Attach mounts the volume if it has to and adds a user.
func (v *Manager) Attach(ctx context.Context, name, source string) (string, error) {
	mt, err := v.claim(ctx, name)
	if err != nil {
		return "", err
	}
	ready, _ := v.state(mt)
	if !ready {
		if err := v.m.Mount(ctx, source, mt.target); err != nil {
			v.finish(name, mt, func() {})
			return "", fmt.Errorf("volume: mount %s: %w", name, err)
		}
	}
	v.finish(name, mt, func() {
		mt.ready = true
		mt.users++
	})
	return mt.target, nil
}

// Detach removes a user. The volume stays mounted.
func (v *Manager) Detach(ctx context.Context, name string) error {
	mt, err := v.claim(ctx, name)
	if err != nil {
		return err
	}
	ready, users := v.state(mt)
	if !ready || users == 0 {
		v.finish(name, mt, func() {})
		return ErrNotMounted
	}
	v.finish(name, mt, func() { mt.users-- })
	return nil
}

// Unmount unmounts a volume that has no user.
func (v *Manager) Unmount(ctx context.Context, name string) error {
	mt, err := v.claim(ctx, name)
	if err != nil {
		return err
	}
	ready, users := v.state(mt)
	switch {
	case !ready:
		err = ErrNotMounted
	case users > 0:
		err = fmt.Errorf("%w: %s has %d users", ErrInUse, name, users)
	default:
		err = v.m.Unmount(ctx, mt.target)
	}
	v.finish(name, mt, func() {
		if err == nil {
			mt.ready = false
		}
	})
	return err
}

// Collect unmounts all volumes without users and returns how many.
func (v *Manager) Collect(ctx context.Context) int {
	v.mu.Lock()
	var idle []string
	for name, mt := range v.mounts {
		if mt.ready && mt.users == 0 {
			idle = append(idle, name)
		}
	}
	v.mu.Unlock()
	n := 0
	for _, name := range idle {
		if v.Unmount(ctx, name) == nil {
			n++
		}
	}
	return n
}
