// Package render turns notification templates into mail bodies.
package render

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"text/template"
)

// Source returns the text of a template, which customers edit at any time.
type Source interface {
	Text(ctx context.Context, tenant, name string) (string, error)
}

type key [sha256.Size]byte

// Renderer keeps parsed templates by the hash of their text, since many
// tenants use the same. It is safe for concurrent use.
type Renderer struct {
	source Source
	limit  int

	mu     sync.RWMutex
	parsed map[key]*template.Template
}

// New returns a renderer that keeps at most limit parsed templates.
func New(s Source, limit int) *Renderer {
	return &Renderer{source: s, limit: max(limit, 1), parsed: make(map[key]*template.Template)}
}

func (r *Renderer) cached(k key) *template.Template {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.parsed[k]
}

func (r *Renderer) keep(k key, t *template.Template) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.parsed) >= r.limit {
		clear(r.parsed)
	}
	r.parsed[k] = t
}

func (r *Renderer) compile(text string) (*template.Template, error) {
	k := key(sha256.Sum256([]byte(text)))
	if t := r.cached(k); t != nil {
		return t, nil
	}
	t, err := template.New("mail").Option("missingkey=zero").Parse(text)
	if err != nil {
		return nil, err
	}
	r.keep(k, t)
	return t, nil
}

// Render fills a tenant's template.
func (r *Renderer) Render(ctx context.Context, tenant, name string, data any) ([]byte, error) {
	text, err := r.source.Text(ctx, tenant, name)
	if err != nil {
		return nil, err
	}
	t, err := r.compile(text)
	if err != nil {
		return nil, fmt.Errorf("render: %s/%s: %w", tenant, name, err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("render: %s/%s: %w", tenant, name, err)
	}
	return out.Bytes(), nil
}

// Mail is one of many mails of a campaign.
type Mail struct {
	Tenant, Template string
	Data             any
	Body             []byte
}

// RenderAll fills the bodies of all mails with the given number of workers.
func (r *Renderer) RenderAll(ctx context.Context, mails []*Mail, workers int) error {
	work := make(chan *Mail)
	errs := make([]error, max(workers, 1))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for m := range work {
				body, err := r.Render(ctx, m.Tenant, m.Template, m.Data)
				if err != nil {
					errs[i] = errors.Join(errs[i], err)
					continue
				}
				m.Body = body
			}
		})
	}
	for _, m := range mails {
		work <- m
	}
	close(work)
	wg.Wait()
	return errors.Join(errs...)
}
