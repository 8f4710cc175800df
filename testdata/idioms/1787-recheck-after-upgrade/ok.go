// Package a renders the notification mails of a shop.
package a

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"text/template"
)

// ErrNoTemplate is returned for a mail nobody has written.
var ErrNoTemplate = errors.New("mails: no such template")

// compiled is a parsed template with the number of times it was used.
type compiled struct {
	tmpl *template.Template

	mu   sync.Mutex
	uses int
}

func (c *compiled) render(data any) (string, error) {
	c.mu.Lock()
	c.uses++
	c.mu.Unlock()
	var out bytes.Buffer
	if err := c.tmpl.Execute(&out, data); err != nil {
		return "", err
	}
	return out.String(), nil
}

// Mails compiles templates when they are first needed. The sources are part
// of the release and do not change while the service runs.
type Mails struct {
	sources map[string]string // not changed after NewMails

	mu    sync.RWMutex
	ready map[string]*compiled
}

// NewMails returns a renderer for the given sources.
func NewMails(sources map[string]string) *Mails {
	m := &Mails{
		sources: make(map[string]string, len(sources)),
		ready:   make(map[string]*compiled),
	}
	for n, s := range sources {
		m.sources[n] = s
	}
	return m
}

// get returns the compiled template, which every caller shares.
func (m *Mails) get(name string) (*compiled, error) {
	m.mu.RLock()
	c := m.ready[name]
	m.mu.RUnlock()
	if c != nil {
		return c, nil
	}

	src, ok := m.sources[name]
	if !ok {
		return nil, ErrNoTemplate
	}
	t, err := template.New(name).Parse(src)
	if err != nil {
		return nil, fmt.Errorf("mails: %s: %w", name, err)
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.ready[name]; c != nil {
		return c, nil // someone else was faster
	}
	c = &compiled{tmpl: t}
	m.ready[name] = c
	return c, nil
}

// Render fills the named template with data.
func (m *Mails) Render(name string, data any) (string, error) {
	c, err := m.get(name)
	if err != nil {
		return "", err
	}
	return c.render(data)
}

// Uses returns how often a template was rendered.
func (m *Mails) Uses(name string) int {
	m.mu.RLock()
	c := m.ready[name]
	m.mu.RUnlock()
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uses
}
