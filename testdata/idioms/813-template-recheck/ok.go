// Package views parses the page templates of a web backend on first use.
//
// The templates come from a file system that is compiled into the binary, so
// the same name always gives the same page.
package views

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"sort"
	"sync"
)

// Page is a parsed template.
type Page struct {
	Name string
	tmpl *template.Template

	mu     sync.Mutex
	served int
}

// Served returns how often the page has been served.
func (p *Page) Served() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.served
}

// Set is a collection of pages. It is safe for concurrent use.
type Set struct {
	files fs.FS
	funcs template.FuncMap

	mu    sync.RWMutex
	pages map[string]*Page
}

// NewSet returns a set over the embedded files.
func NewSet(files embed.FS, funcs template.FuncMap) *Set {
	return &Set{files: files, funcs: funcs, pages: make(map[string]*Page)}
}

// Page returns the page of that name and parses it if it is new. Every caller
// gets the same *Page.
func (s *Set) Page(name string) (*Page, error) {
	if p, ok := s.lookup(name); ok {
		return p, nil
	}
	p, err := s.parse(name)
	if err != nil {
		return nil, err
	}
	return s.adopt(p), nil
}

func (s *Set) lookup(name string) (*Page, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.pages[name]
	return p, ok
}

// parse reads a page from the file system.
func (s *Set) parse(name string) (*Page, error) {
	src, err := fs.ReadFile(s.files, name+".html")
	if err != nil {
		return nil, fmt.Errorf("views: %w", err)
	}
	t, err := template.New(name).Funcs(s.funcs).Parse(string(src))
	if err != nil {
		return nil, fmt.Errorf("views: %w", err)
	}
	return &Page{Name: name, tmpl: t}, nil
}

// adopt makes p a page of the set, unless there is one by now, and returns the
// page of the set.
func (s *Set) adopt(p *Page) *Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.pages[p.Name]; ok {
		return old
	}
	s.pages[p.Name] = p
	return p
}

// Parsed lists the pages that have been used.
func (s *Set) Parsed() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]string, 0, len(s.pages))
	for name := range s.pages {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Handler serves the page called name with the data that fill returns.
func (s *Set) Handler(name string, fill func(*http.Request) any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.Page(name)
		if err != nil {
			http.Error(w, "no such page", http.StatusInternalServerError)
			return
		}
		var buf bytes.Buffer
		if err := p.tmpl.Execute(&buf, fill(r)); err != nil {
			http.Error(w, "bad page", http.StatusInternalServerError)
			return
		}
		p.mu.Lock()
		p.served++
		p.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(buf.Bytes())
	})
}
