// Package policy enforces network policies on the endpoints of a host.
package policy

import (
	"context"
	"log"
	"net/netip"
	"sync"
)

// Action is what happens to a packet.
type Action uint8

// The actions.
const (
	Allow Action = iota
	Deny
)

// Rule matches packets by source and destination port.
type Rule struct {
	From   netip.Prefix
	Lo, Hi uint16
	Action Action
}

func (r Rule) matches(src netip.Addr, port uint16) bool {
	return r.From.Contains(src) && port >= r.Lo && port <= r.Hi
}

// Policy is the wanted state of one endpoint, as sent by the control plane.
type Policy struct {
	Endpoint string
	Version  uint64
	Rules    []Rule
	Default  Action
	Removed  bool
}

// Programmer installs rules. An endpoint without any policy is open.
type Programmer interface {
	Flush(endpoint string)
	Replace(endpoint string, rules []Rule, fallback Action)
}

type chain struct {
	rules    []Rule
	fallback Action
}

// Table is the rule table of the software switch; the packet workers consult
// it for every new flow.
type Table struct {
	mu     sync.RWMutex
	chains map[string]*chain
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{chains: make(map[string]*chain)} }

// Verdict decides on a new flow; the first matching rule wins.
func (t *Table) Verdict(endpoint string, src netip.Addr, port uint16) Action {
	t.mu.RLock()
	defer t.mu.RUnlock()
	c, ok := t.chains[endpoint]
	if !ok {
		return Allow
	}
	for _, r := range c.rules {
		if r.matches(src, port) {
			return r.Action
		}
	}
	return c.fallback
}

// Flush removes the policy of an endpoint.
func (t *Table) Flush(endpoint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.chains, endpoint)
}

// Replace puts a new chain in the place of the endpoint's old one; fallback is
// the action for packets that match no rule.
func (t *Table) Replace(endpoint string, rules []Rule, fallback Action) {
	c := &chain{rules: append([]Rule(nil), rules...), fallback: fallback}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.chains[endpoint] = c
}

// Enforcer follows the control plane.
type Enforcer struct {
	out     Programmer
	applied map[string]uint64 // used by Run only
}

// NewEnforcer returns an enforcer that programs out.
func NewEnforcer(out Programmer) *Enforcer {
	return &Enforcer{out: out, applied: make(map[string]uint64)}
}

// Run applies updates until the context ends or the stream is closed. It must
// be started once.
func (e *Enforcer) Run(ctx context.Context, updates <-chan Policy) {
	for {
		select {
		case <-ctx.Done():
			return
		case p, ok := <-updates:
			if !ok {
				return
			}
			if p.Version <= e.applied[p.Endpoint] {
				log.Printf("policy: %s: version %d is old", p.Endpoint, p.Version)
				continue
			}
			e.applied[p.Endpoint] = p.Version
			e.apply(p)
		}
	}
}

// apply brings the table to the wanted state of one endpoint.
func (e *Enforcer) apply(p Policy) {
	if p.Removed {
		e.out.Flush(p.Endpoint)
		return
	}
	e.out.Replace(p.Endpoint, p.Rules, p.Default)
}
