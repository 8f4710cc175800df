// Package mailtpl renders the templates of notification mails.
package mailtpl

import (
	"fmt"
	"strings"
	"sync"
	"text/template"
)

// Loader returns the source of a template. Versions are immutable, a changed
// template gets a new version.
type Loader interface {
	Load(name string, version int) (string, error)
}

type key struct {
	name    string
	version int
}

type entry struct {
	tpl *template.Template

	mu    sync.Mutex
	uses  int
	bytes int
}

func (e *entry) used(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.uses++
	e.bytes += n
}

// Renderer caches parsed templates together with their usage.
type Renderer struct {
	loader Loader

	mu      sync.RWMutex
	entries map[key]*entry
}

// New returns a renderer.
func New(l Loader) *Renderer {
	return &Renderer{loader: l, entries: make(map[key]*entry)}
}

func (r *Renderer) entry(k key) (*entry, error) {
	r.mu.RLock()
	e, ok := r.entries[k]
	r.mu.RUnlock()
	if ok {
		return e, nil
	}

	src, err := r.loader.Load(k.name, k.version)
	if err != nil {
		return nil, fmt.Errorf("mailtpl: %s v%d: %w", k.name, k.version, err)
	}
	tpl, err := template.New(k.name).Parse(src)
	if err != nil {
		return nil, fmt.Errorf("mailtpl: %s v%d: %w", k.name, k.version, err)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.entries[k]; ok {
		return e, nil
	}
	e = &entry{tpl: tpl}
	r.entries[k] = e
	return e, nil
}

// Render fills a template in.
func (r *Renderer) Render(name string, version int, data any) (string, error) {
	e, err := r.entry(key{name, version})
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	if err := e.tpl.Execute(&sb, data); err != nil {
		return "", err
	}
	e.used(sb.Len())
	return sb.String(), nil
}

// Uses returns how often a template was rendered.
func (r *Renderer) Uses(name string, version int) int {
	r.mu.RLock()
	e := r.entries[key{name, version}]
	r.mu.RUnlock()
	if e == nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.uses
}
