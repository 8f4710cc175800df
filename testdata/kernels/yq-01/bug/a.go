// Package a hands out the VLANs of a leaf-spine fabric to tenants.
package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"sync"
	"time"
)

const (
	firstVLAN = 100
	lastVLAN  = 3999
)

var (
	ErrExhausted = errors.New("fabric: no free VLAN")
	ErrDetached  = errors.New("fabric: segment is already detached")
)

// Switch is the management plane of the fabric.
type Switch interface {
	Configure(ctx context.Context, vlan uint16, ports []string) error
	Clear(ctx context.Context, vlan uint16) error
}

// Segment is the part of the fabric that belongs to one tenant.
type Segment struct {
	VLAN   uint16
	Tenant string
	Ports  []string

	closing bool // guarded by fabric
}

var fabric = struct {
	sync.Mutex
	segments map[uint16]*Segment
	retries  int
}{
	segments: make(map[uint16]*Segment),
	retries:  3,
}

// SetRetries changes how often a command to the switch is tried.
func SetRetries(n int) {
	fabric.Lock()
	defer fabric.Unlock()
	fabric.retries = max(n, 1)
}

func lowestFree() (uint16, bool) {
	fabric.Lock()
	defer fabric.Unlock()
	for v := uint16(firstVLAN); v <= lastVLAN; v++ {
		if _, used := fabric.segments[v]; !used {
			return v, true
		}
	}
	return 0, false
}

func record(seg *Segment) {
	fabric.Lock()
	defer fabric.Unlock()
	fabric.segments[seg.VLAN] = seg
}

func release(seg *Segment) {
	fabric.Lock()
	defer fabric.Unlock()
	delete(fabric.segments, seg.VLAN)
}

func try(ctx context.Context, what string, f func() error) error {
	fabric.Lock()
	retries := fabric.retries
	fabric.Unlock()

	var err error
	for i := range retries {
		if err = f(); err == nil {
			return nil
		}
		log.Printf("fabric: %s, attempt %d: %v", what, i+1, err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second << i):
		}
	}
	return fmt.Errorf("fabric: %s: %w", what, err)
}

// Attach gives the tenant a VLAN of its own on the ports.
func Attach(ctx context.Context, sw Switch, tenant string, ports []string) (*Segment, error) {
	vlan, ok := lowestFree()
	if !ok {
		return nil, ErrExhausted
	}
	seg := &Segment{VLAN: vlan, Tenant: tenant, Ports: slices.Clone(ports)}
	err := try(ctx, "configure", func() error {
		return sw.Configure(ctx, vlan, seg.Ports)
	})
	if err != nil {
		return nil, err
	}
	record(seg)
	return seg, nil
}

// Detach clears the segment and gives its VLAN back.
func Detach(ctx context.Context, sw Switch, seg *Segment) error {
	fabric.Lock()
	if seg.closing {
		fabric.Unlock()
		return ErrDetached
	}
	seg.closing = true
	fabric.Unlock()

	err := try(ctx, "clear", func() error { return sw.Clear(ctx, seg.VLAN) })
	if err != nil {
		fabric.Lock()
		seg.closing = false
		fabric.Unlock()
		return err
	}
	release(seg)
	return nil
}

// Tenants lists who holds a segment.
func Tenants() []string {
	fabric.Lock()
	defer fabric.Unlock()
	var out []string
	for _, seg := range fabric.segments {
		if !slices.Contains(out, seg.Tenant) {
			out = append(out, seg.Tenant)
		}
	}
	slices.Sort(out)
	return out
}
