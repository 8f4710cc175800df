// Package part has a type that locks by itself, and needs its receiver.
package part

import "sync"

// Rules have names.
type Rules struct {
	mu    sync.Mutex
	names []string
}

// First returns the first name.
func (r *Rules) First() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names[0]
}

// FirstOf is for no rules, too.
func (r *Rules) FirstOf() string {
	if r == nil {
		return ""
	}
	return r.First()
}
