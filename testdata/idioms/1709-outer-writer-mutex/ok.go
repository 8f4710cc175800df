package a

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// ErrRuleExists is returned by Add for a known rule name.
var ErrRuleExists = errors.New("firewall: rule exists")

// Driver programs the packet filter of the kernel, which is slow.
type Driver interface {
	Install(name string, p netip.Prefix) (handle uint64, err error)
	Uninstall(handle uint64) error
}

type rule struct {
	prefix netip.Prefix
	handle uint64
}

// Firewall blocks address ranges.
type Firewall struct {
	drv Driver

	edit sync.Mutex // held by Add and Remove from start to end

	mu    sync.RWMutex // guards rules; held for short times only
	rules map[string]rule
}

// NewFirewall returns a firewall without rules.
func NewFirewall(drv Driver) *Firewall {
	return &Firewall{drv: drv, rules: make(map[string]rule)}
}

func (f *Firewall) get(name string) (rule, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	r, ok := f.rules[name]
	return r, ok
}

// Add installs a rule.
func (f *Firewall) Add(name, cidr string) error {
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return err
	}
	f.edit.Lock()
	defer f.edit.Unlock()

	if _, ok := f.get(name); ok {
		return ErrRuleExists
	}
	h, err := f.drv.Install(name, p)
	if err != nil {
		return fmt.Errorf("install %s: %w", name, err)
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules[name] = rule{prefix: p, handle: h}
	return nil
}

// Remove uninstalls a rule.
func (f *Firewall) Remove(name string) error {
	f.edit.Lock()
	defer f.edit.Unlock()

	r, ok := f.get(name)
	if !ok {
		return fmt.Errorf("firewall: no rule %s", name)
	}
	if err := f.drv.Uninstall(r.handle); err != nil {
		return fmt.Errorf("uninstall %s: %w", name, err)
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rules, name)
	return nil
}

// Blocked tells whether a rule covers the address.
func (f *Firewall) Blocked(a netip.Addr) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, r := range f.rules {
		if r.prefix.Contains(a) {
			return true
		}
	}
	return false
}
