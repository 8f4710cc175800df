// Package a evaluates feature flags for the users of a web application.
package a

import (
	"hash/fnv"
	"slices"
	"sync"
)

// Rule says who sees a feature. Allow lists users who always do; everybody
// else falls into the rollout by a hash.
type Rule struct {
	Allow   []string
	Percent uint32
}

func (r Rule) match(flag, user string) bool {
	if slices.Contains(r.Allow, user) {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(flag))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum32()%100 < r.Percent
}

// Rules is the set of rules that administrators edit.
type Rules struct {
	mu        sync.RWMutex
	byFlag    map[string]Rule
	listeners []func(flag string)
}

// NewRules returns an empty rule set.
func NewRules() *Rules {
	return &Rules{byFlag: make(map[string]Rule)}
}

// Get returns the rule of flag; an unknown flag is off for everybody.
func (r *Rules) Get(flag string) Rule {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byFlag[flag]
}

// Set replaces the rule of flag, then tells the listeners about it.
func (r *Rules) Set(flag string, rule Rule) {
	rule.Allow = slices.Clone(rule.Allow)
	r.mu.Lock()
	r.byFlag[flag] = rule
	ls := slices.Clone(r.listeners)
	r.mu.Unlock()
	for _, f := range ls {
		f(flag)
	}
}

// OnChange registers f to be called after every change of a rule.
func (r *Rules) OnChange(f func(flag string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(r.listeners, f)
}

// Evaluator answers Enabled from a cache of decisions. Entries stay until the
// rule of their flag changes.
type Evaluator struct {
	rules *Rules

	mu    sync.Mutex
	cache map[string]map[string]bool // flag -> user -> decision
}

// NewEvaluator returns an evaluator that follows the changes of rules.
func NewEvaluator(rules *Rules) *Evaluator {
	e := &Evaluator{rules: rules, cache: make(map[string]map[string]bool)}
	rules.OnChange(e.forget)
	return e
}

// forget drops the decisions on flag.
func (e *Evaluator) forget(flag string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.cache, flag)
}

// Enabled reports whether user sees the feature.
func (e *Evaluator) Enabled(flag, user string) bool {
	e.mu.Lock()
	on, ok := e.cache[flag][user]
	e.mu.Unlock()
	if ok {
		return on
	}

	on = e.rules.Get(flag).match(flag, user)

	e.mu.Lock()
	defer e.mu.Unlock()
	users := e.cache[flag]
	if users == nil {
		users = make(map[string]bool)
		e.cache[flag] = users
	}
	users[user] = on
	return on
}

// Cached returns the number of decisions held, for the metrics page.
func (e *Evaluator) Cached() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, users := range e.cache {
		n += len(users)
	}
	return n
}
