// Correct: the compiled policy is made outside the lock from a copy of the
// rules, but installed only if the rules' version is still the one the copy
// was taken at; otherwise it is compiled anew.

// Package ok holds access rules and their compiled form.
package ok

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

type Rule struct {
	Pattern string
	Allow   bool
}

type matcher struct {
	allow *regexp.Regexp
	deny  *regexp.Regexp
}

func compile(rules map[string]Rule) (*matcher, error) {
	var allow, deny []string
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if r := rules[name]; r.Allow {
			allow = append(allow, "(?:"+r.Pattern+")")
		} else {
			deny = append(deny, "(?:"+r.Pattern+")")
		}
	}
	m := new(matcher)
	var err error
	if len(allow) > 0 {
		if m.allow, err = regexp.Compile("^(?:" + strings.Join(allow, "|") + ")$"); err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
	}
	if len(deny) > 0 {
		if m.deny, err = regexp.Compile("^(?:" + strings.Join(deny, "|") + ")$"); err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
	}
	return m, nil
}

func (m *matcher) permits(path string) bool {
	if m.deny != nil && m.deny.MatchString(path) {
		return false
	}
	return m.allow != nil && m.allow.MatchString(path)
}

type Policy struct {
	mu       sync.RWMutex
	version  uint64
	rules    map[string]Rule
	compiled *matcher // nil when the rules have changed
}

func NewPolicy() *Policy {
	return &Policy{rules: make(map[string]Rule)}
}

// Set adds or replaces a rule.
func (p *Policy) Set(name string, r Rule) error {
	if _, err := regexp.Compile(r.Pattern); err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules[name] = r
	p.version++
	p.compiled = nil
	return nil
}

// Remove deletes a rule.
func (p *Policy) Remove(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.rules, name)
	p.version++
	p.compiled = nil
}

func (p *Policy) snapshot() (*matcher, map[string]Rule, uint64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.compiled != nil {
		return p.compiled, nil, p.version
	}
	return nil, maps.Clone(p.rules), p.version
}

func (p *Policy) install(m *matcher, version uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version {
		return false
	}
	p.compiled = m
	return true
}

// Permits tells whether the rules allow the path.
func (p *Policy) Permits(path string) (bool, error) {
	for {
		m, rules, version := p.snapshot()
		if m == nil {
			var err error
			if m, err = compile(rules); err != nil {
				return false, err
			}
			if !p.install(m, version) {
				continue
			}
		}
		return m.permits(path), nil
	}
}
