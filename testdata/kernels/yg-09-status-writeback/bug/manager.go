// Package controller runs the reconcilers of the control plane.
package controller

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/yg-09-status-writeback/bug/objstore"
)

// Store is what the controllers need of the object store.
type Store interface {
	Names() []string
	Get(name string) (objstore.Deployment, error)
	Put(d objstore.Deployment) error
}

// Reconciler compares a deployment with the world and notes what it finds in
// d. It reports whether d was changed. It may take seconds.
type Reconciler interface {
	Name() string
	Reconcile(ctx context.Context, d *objstore.Deployment) (bool, error)
}

// Manager runs every reconciler in a goroutine of its own.
type Manager struct {
	store  Store
	resync time.Duration
	recs   []Reconciler
}

// NewManager returns a manager of the given reconcilers.
func NewManager(store Store, resync time.Duration, recs ...Reconciler) *Manager {
	return &Manager{store: store, resync: resync, recs: recs}
}

// Run works until ctx ends.
func (m *Manager) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, r := range m.recs {
		wg.Go(func() { m.drive(ctx, r) })
	}
	wg.Wait()
}

func (m *Manager) drive(ctx context.Context, r Reconciler) {
	t := time.NewTicker(m.resync)
	defer t.Stop()
	for {
		for _, name := range m.store.Names() {
			if ctx.Err() != nil {
				return
			}
			if err := m.sync(ctx, r, name); err != nil {
				log.Printf("controller %s: %v", r.Name(), err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// sync brings one deployment up to date with one reconciler.
func (m *Manager) sync(ctx context.Context, r Reconciler, name string) error {
	d, err := m.store.Get(name)
	if err != nil {
		return fmt.Errorf("get %s: %w", name, err)
	}
	changed, err := r.Reconcile(ctx, &d)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", name, err)
	}
	if !changed {
		return nil
	}
	if err := m.store.Put(d); err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	return nil
}

// ProbeReconciler keeps the Ready condition, by asking the workload itself.
type ProbeReconciler struct {
	Probe func(ctx context.Context, name string) error
}

// Name implements Reconciler.
func (p ProbeReconciler) Name() string { return "probe" }

// Reconcile implements Reconciler.
func (p ProbeReconciler) Reconcile(ctx context.Context, d *objstore.Deployment) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	state := "True"
	if err := p.Probe(ctx, d.Name); err != nil {
		state = "False: " + err.Error()
	}
	if d.Conditions["Ready"] == state {
		return false, nil
	}
	d.Conditions["Ready"] = state
	return true, nil
}
