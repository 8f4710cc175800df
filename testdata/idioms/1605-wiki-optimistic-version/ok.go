// Package a applies edits to the pages of a wiki.
package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// ErrConflict is returned when a page changes faster than it can be edited.
var ErrConflict = errors.New("wiki: too many concurrent edits")

const attempts = 5

// Page is one revision.
type Page struct {
	Text string
	Rev  uint64
}

// Editor turns a text into another one; it may ask remote services.
type Editor func(ctx context.Context, text string) (string, error)

// Wiki is a set of pages.
type Wiki struct {
	mu    sync.RWMutex
	pages map[string]Page
}

// New returns a wiki without pages.
func New() *Wiki { return &Wiki{pages: make(map[string]Page)} }

// Page returns the current revision of a page.
func (w *Wiki) Page(title string) Page {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.pages[title]
}

// put stores text as the revision which follows rev.
func (w *Wiki) put(title, text string, rev uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages[title].Rev != rev {
		return false
	}
	w.pages[title] = Page{Text: text, Rev: rev + 1}
	return true
}

// Edit applies the editor to the newest revision of a page.
func (w *Wiki) Edit(ctx context.Context, title string, edit Editor) error {
	for range attempts {
		p := w.Page(title)
		text, err := edit(ctx, p.Text)
		if err != nil {
			return fmt.Errorf("edit %q: %w", title, err)
		}
		if text == p.Text {
			return nil
		}
		if w.put(title, text, p.Rev) {
			return nil
		}
	}
	return fmt.Errorf("%w: %q", ErrConflict, title)
}

// Append adds a line at the end of a page.
func (w *Wiki) Append(ctx context.Context, title, line string) error {
	return w.Edit(ctx, title, func(_ context.Context, text string) (string, error) {
		return text + line + "\n", nil
	})
}

// ServeHTTP answers POST /append?title=T&line=L.
func (w *Wiki) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	err := w.Append(r.Context(), r.FormValue("title"), r.FormValue("line"))
	switch {
	case errors.Is(err, ErrConflict):
		http.Error(rw, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(rw, err.Error(), http.StatusInternalServerError)
	}
}
