package a

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

var (
	ErrNoPage   = errors.New("wiki: no such page")
	ErrConflict = errors.New("wiki: page keeps changing")
)

// Page is one version of a wiki page.
type Page struct {
	Text    string
	Version int
	Editor  string
}

// Pages stores the current version of each page.
type Pages struct {
	mu    sync.RWMutex
	pages map[string]Page
}

func NewPages() *Pages { return &Pages{pages: make(map[string]Page)} }

// Read returns the current version.
func (p *Pages) Read(title string) (Page, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	pg, ok := p.pages[title]
	if !ok {
		return Page{}, ErrNoPage
	}
	return pg, nil
}

// Create adds an empty page unless it is there already.
func (p *Pages) Create(title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.pages[title]; !ok {
		p.pages[title] = Page{Version: 1}
	}
}

// commit installs next when base is still the current version. Pages are
// never deleted and versions only go up.
func (p *Pages) commit(title string, base int, next Page) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	cur, ok := p.pages[title]
	if !ok || cur.Version != base {
		return false
	}
	next.Version = base + 1
	p.pages[title] = next
	return true
}

// Renderer checks that a text can be shown; this may take a while.
type Renderer interface {
	Check(text string) error
}

// Wiki edits pages.
type Wiki struct {
	pages *Pages
	rend  Renderer
}

func NewWiki(r Renderer) *Wiki { return &Wiki{pages: NewPages(), rend: r} }

// Edit applies fn to the text of a page.
func (w *Wiki) Edit(title, editor string, fn func(text string) string) error {
	for range 8 {
		pg, err := w.pages.Read(title)
		if err != nil {
			return err
		}
		text := fn(pg.Text)
		if text == pg.Text {
			return nil
		}
		if err := w.rend.Check(text); err != nil {
			return err
		}
		if w.pages.commit(title, pg.Version, Page{Text: text, Editor: editor}) {
			return nil
		}
	}
	return ErrConflict
}

// Append adds a signed comment at the end of a page.
func (w *Wiki) Append(title, editor, comment string) error {
	return w.Edit(title, editor, func(text string) string {
		return text + fmt.Sprintf("\n%s --%s", comment, editor)
	})
}

// Rename replaces a link target on a page.
func (w *Wiki) Rename(title, editor, from, to string) error {
	return w.Edit(title, editor, func(text string) string {
		return strings.ReplaceAll(text, "[["+from+"]]", "[["+to+"]]")
	})
}

func (w *Wiki) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	title := strings.TrimPrefix(r.URL.Path, "/wiki/")
	if r.Method == http.MethodGet {
		pg, err := w.pages.Read(title)
		if err != nil {
			http.NotFound(rw, r)
			return
		}
		io.WriteString(rw, pg.Text)
		return
	}
	w.pages.Create(title)
	if err := w.Append(title, r.FormValue("user"), r.FormValue("comment")); err != nil {
		http.Error(rw, err.Error(), http.StatusConflict)
	}
}
