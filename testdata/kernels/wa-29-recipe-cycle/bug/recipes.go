package recipes

import (
	"errors"
	"slices"
	"sync"
)

var ErrCycle = errors.New("recipes: would need itself")

// Registry knows which recipes need which others. Editors change it while the
// kitchen works from it.
type Registry struct {
	mu    sync.RWMutex
	needs map[string][]string
}

func New() *Registry { return &Registry{needs: make(map[string][]string)} }

// reaches tells whether to is needed, directly or not, by from. The caller
// holds r.mu.
func (r *Registry) reaches(from, to string) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(name string) bool {
		if name == to {
			return true
		}
		if seen[name] {
			return false
		}
		seen[name] = true
		return slices.ContainsFunc(r.needs[name], visit)
	}
	return visit(from)
}

// Require notes that recipe needs part.
func (r *Registry) Require(recipe, part string) error {
	r.mu.RLock()
	loop := r.reaches(part, recipe)
	r.mu.RUnlock()
	if loop {
		return ErrCycle
	}

	r.mu.Lock()
	if !slices.Contains(r.needs[recipe], part) {
		r.needs[recipe] = append(r.needs[recipe], part)
	}
	r.mu.Unlock()
	return nil
}

// Drop removes a requirement.
func (r *Registry) Drop(recipe, part string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.needs[recipe] = slices.DeleteFunc(r.needs[recipe], func(p string) bool { return p == part })
}

// Steps lists everything to be made for recipe, parts before what needs them.
func (r *Registry) Steps(recipe string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.steps(recipe, nil)
}

func (r *Registry) steps(recipe string, done []string) []string {
	for _, part := range r.needs[recipe] {
		done = r.steps(part, done)
	}
	if slices.Contains(done, recipe) {
		return done
	}
	return append(done, recipe)
}
