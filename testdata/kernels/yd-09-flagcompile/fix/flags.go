// Package flags evaluates feature flags. Rules are edited through the admin
// API and compiled in the background into a program that requests read
// without locking.
package flags

import (
	"context"
	"hash/fnv"
	"maps"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Rule says who gets a flag.
type Rule struct {
	Percent int      // share of users, 0 to 100
	Allow   []string // users who always get it
	Deny    []string // users who never get it
}

// program is the compiled form of all rules. It is immutable.
type program struct {
	flags map[string]compiledRule
}

type compiledRule struct {
	below uint32
	allow []string // sorted
	deny  []string // sorted
}

// Evaluator answers flag queries. It is safe for concurrent use.
type Evaluator struct {
	current atomic.Pointer[program]

	mu    sync.Mutex
	rules map[string]Rule
	dirty bool // rules has changes that no program has been made from
}

// New returns an evaluator without rules.
func New() *Evaluator {
	e := &Evaluator{rules: make(map[string]Rule)}
	e.current.Store(&program{})
	return e
}

// Set replaces the rule of a flag.
func (e *Evaluator) Set(flag string, r Rule) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules[flag] = r
	e.dirty = true
}

// Remove deletes a flag; it is off for everyone afterwards.
func (e *Evaluator) Remove(flag string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.rules[flag]; !ok {
		return
	}
	delete(e.rules, flag)
	e.dirty = true
}

// Run compiles changed rules until ctx ends. It is started once.
func (e *Evaluator) Run(ctx context.Context) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			e.refresh()
		}
	}
}

// refresh publishes a new program if the rules have changed.
func (e *Evaluator) refresh() {
	e.mu.Lock()
	if !e.dirty {
		e.mu.Unlock()
		return
	}
	rules := maps.Clone(e.rules)
	e.dirty = false
	e.mu.Unlock()

	e.current.Store(compile(rules))
}

func compile(rules map[string]Rule) *program {
	p := &program{flags: make(map[string]compiledRule, len(rules))}
	for flag, r := range rules {
		percent := min(max(r.Percent, 0), 100)
		p.flags[flag] = compiledRule{
			below: uint32(percent) * 100,
			allow: sorted(r.Allow),
			deny:  sorted(r.Deny),
		}
	}
	return p
}

func sorted(users []string) []string {
	out := append([]string(nil), users...)
	sort.Strings(out)
	return out
}

func holds(sorted []string, user string) bool {
	i := sort.SearchStrings(sorted, user)
	return i < len(sorted) && sorted[i] == user
}

// Enabled reports whether user gets flag.
func (e *Evaluator) Enabled(flag, user string) bool {
	r, ok := e.current.Load().flags[flag]
	switch {
	case !ok, holds(r.deny, user):
		return false
	case holds(r.allow, user):
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(flag + "/" + user))
	return h.Sum32()%10000 < r.below
}
