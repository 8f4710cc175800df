// Package devices knows which account owns a device.
package devices

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrOwned   = errors.New("devices: device belongs to another account")
	ErrUnknown = errors.New("devices: unknown device")
)

type device struct {
	serial string

	mu      sync.RWMutex
	owner   string // set once, for ever
	claimed time.Time
}

// ownedBy reports the owner, if the device has one already.
func (d *device) ownedBy() (string, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.owner, d.owner != ""
}

// claim sets the owner if there is none and returns who owns the device now.
func (d *device) claim(account string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner == "" {
		d.owner = account
		d.claimed = time.Now()
	}
	return d.owner
}

// Vendor proves that the caller has the device in hand.
type Vendor interface {
	Verify(ctx context.Context, serial, pin string) error
}

type Registry struct {
	vendor Vendor

	mu      sync.RWMutex
	devices map[string]*device
}

func New(v Vendor, serials ...string) *Registry {
	r := &Registry{vendor: v, devices: make(map[string]*device)}
	for _, s := range serials {
		r.devices[s] = &device{serial: s}
	}
	return r
}

func (r *Registry) find(serial string) (*device, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if d, ok := r.devices[serial]; ok {
		return d, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknown, serial)
}

func verdict(owner, account string) error {
	if owner != account {
		return ErrOwned
	}
	return nil
}

// Claim makes the account the owner of the device. Claiming one's own device again is
// no error.
func (r *Registry) Claim(ctx context.Context, serial, pin, account string) error {
	d, err := r.find(serial)
	if err != nil {
		return err
	}
	if owner, ok := d.ownedBy(); ok {
		return verdict(owner, account) // spares the vendor a call
	}
	if err := r.vendor.Verify(ctx, serial, pin); err != nil {
		return fmt.Errorf("claim %s: %w", serial, err)
	}
	return verdict(d.claim(account), account)
}

func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	err := r.Claim(req.Context(), req.PathValue("serial"), req.FormValue("pin"), req.Header.Get("X-Account"))
	switch {
	case errors.Is(err, ErrOwned):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusForbidden)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
