// Package geokv is the client of a key-value store replicated across regions.
package geokv

import (
	"errors"
	"sync"
)

// ErrNoPrimary is returned while a range is failing over.
var ErrNoPrimary = errors.New("geokv: no primary")

type placement struct {
	primary  string
	replicas []string
	epoch    uint64
}

// topology is fed by the membership stream.
type topology struct {
	sync.RWMutex
	byRange map[uint16]placement
}

// Primary returns the region which takes writes for a range.
func (t *topology) Primary(rng uint16) (string, bool) {
	t.RLock()
	defer t.RUnlock()
	p, ok := t.byRange[rng]
	return p.primary, ok && p.primary != ""
}

// Epoch returns how often a range failed over.
func (t *topology) Epoch(rng uint16) uint64 {
	t.RLock()
	defer t.RUnlock()
	return t.byRange[rng].epoch
}

// Route returns primary and epoch of a range.
func (t *topology) Route(rng uint16) (string, uint64, bool) {
	t.RLock()
	defer t.RUnlock()
	p, ok := t.byRange[rng]
	return p.primary, p.epoch, ok && p.primary != ""
}

// Nearest returns a region to read from.
func (t *topology) Nearest(rng uint16, home string) (string, bool) {
	t.RLock()
	defer t.RUnlock()
	p, ok := t.byRange[rng]
	if !ok {
		return "", false
	}
	for _, r := range p.replicas {
		if r == home {
			return r, true
		}
	}
	return p.primary, p.primary != ""
}

// failover installs a new primary; announcements may arrive in any order.
func (t *topology) failover(rng uint16, primary string, replicas []string, epoch uint64) bool {
	t.Lock()
	defer t.Unlock()
	if cur, ok := t.byRange[rng]; ok && cur.epoch >= epoch {
		return false
	}
	t.byRange[rng] = placement{primary: primary, replicas: append([]string(nil), replicas...), epoch: epoch}
	return true
}
