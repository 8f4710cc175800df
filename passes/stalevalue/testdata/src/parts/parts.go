// Package parts looks up objects of another package, whose methods need them.
package parts

import (
	"part"
	"sync"
)

// A Library has the rules of its folders.
type Library struct {
	mu    sync.RWMutex
	paths map[string]string
	rules map[string]*part.Rules
}

func (l *Library) Open(id, path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths[id], l.rules[id] = path, new(part.Rules)
}

func (l *Library) Close(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.paths, id)
	delete(l.rules, id)
}

func (l *Library) First(id string) string {
	l.mu.RLock()
	_, ok := l.paths[id]
	l.mu.RUnlock()
	if !ok {
		return ""
	}
	l.mu.RLock()
	r := l.rules[id] // want `check-then-act: l\.paths\[id\] was checked at line 31`
	l.mu.RUnlock()
	return r.First()
}

// FirstOf calls a method that can do without.
func (l *Library) FirstOf(id string) string {
	l.mu.RLock()
	_, ok := l.paths[id]
	l.mu.RUnlock()
	if !ok {
		return ""
	}
	l.mu.RLock()
	r := l.rules[id]
	l.mu.RUnlock()
	return r.FirstOf()
}
