// Package wiki stores pages with optimistic concurrency control.
package wiki

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

var ErrConflict = errors.New("wiki: page was changed by somebody else")

// Page is a value; Rev grows with every stored change.
type Page struct {
	Name string
	Text string
	Rev  uint64
}

// pages is the table of current pages.
type pages struct {
	mu sync.RWMutex
	m  map[string]Page
}

func (p *pages) load(name string) Page {
	p.mu.RLock()
	defer p.mu.RUnlock()
	pg, ok := p.m[name]
	if !ok {
		pg.Name = name
	}
	return pg
}

// store replaces the page if it still is at revision base.
func (p *pages) store(pg Page, base uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m[pg.Name].Rev != base {
		return ErrConflict
	}
	pg.Rev = base + 1
	p.m[pg.Name] = pg
	return nil
}

// SpamFilter may take its time.
type SpamFilter interface {
	Check(ctx context.Context, text string) error
}

// Wiki is used by the request handlers.
type Wiki struct {
	pages pages
	spam  SpamFilter
}

func New(spam SpamFilter) *Wiki {
	return &Wiki{spam: spam, pages: pages{m: make(map[string]Page)}}
}

// edit applies change to the page, starting over when the page moved on.
func (w *Wiki) edit(ctx context.Context, name string, change func(text string) string) error {
	for range 10 {
		pg := w.pages.load(name)
		next := change(pg.Text)
		if next == pg.Text {
			return nil
		}
		if err := w.spam.Check(ctx, next); err != nil {
			return err
		}
		err := w.pages.store(Page{Name: name, Text: next}, pg.Rev)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return ErrConflict
}

// AppendComment adds a comment at the end of the page.
func (w *Wiki) AppendComment(ctx context.Context, name, author, comment string) error {
	return w.edit(ctx, name, func(text string) string {
		return text + "\n> " + comment + " (" + author + ")\n"
	})
}

// RenameLink rewrites the links to a page that got a new name.
func (w *Wiki) RenameLink(ctx context.Context, name, from, to string) error {
	return w.edit(ctx, name, func(text string) string {
		return strings.ReplaceAll(text, "[["+from+"]]", "[["+to+"]]")
	})
}

// PostComment handles POST /pages/{name}/comments.
func (w *Wiki) PostComment(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 4096))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	err = w.AppendComment(r.Context(), r.PathValue("name"), r.Header.Get("X-User"), string(body))
	if errors.Is(err, ErrConflict) {
		http.Error(rw, err.Error(), http.StatusConflict)
		return
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}
