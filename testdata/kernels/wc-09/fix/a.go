// Package a gives translators access to the glossaries of a project.
package a

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Glossary is the list of agreed terms of one target language.
type Glossary struct {
	Lang string

	mu    sync.RWMutex
	terms map[string]string
}

// glossaries holds a *Glossary per language tag for the whole process.
var glossaries sync.Map

// ErrConflict is returned when a term has another translation already.
var ErrConflict = errors.New("term has another translation")

// For returns the glossary of a language. It begins empty.
func For(lang string) (*Glossary, error) {
	tag := strings.ToLower(strings.TrimSpace(lang))
	if tag == "" {
		return nil, errors.New("empty language tag")
	}
	if g, ok := glossaries.Load(tag); ok {
		return g.(*Glossary), nil
	}
	g := &Glossary{Lang: tag, terms: make(map[string]string)}
	actual, _ := glossaries.LoadOrStore(tag, g)
	return actual.(*Glossary), nil
}

// Define adds a term.
func (g *Glossary) Define(term, translation string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if old, ok := g.terms[term]; ok && old != translation {
		return fmt.Errorf("%q is %q: %w", term, old, ErrConflict)
	}
	g.terms[term] = translation
	return nil
}

// Translate looks a term up.
func (g *Glossary) Translate(term string) (string, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	t, ok := g.terms[term]
	return t, ok
}

// Len is the number of terms.
func (g *Glossary) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.terms)
}

// Sizes reports the number of terms per language.
func Sizes() map[string]int {
	out := make(map[string]int)
	glossaries.Range(func(k, v any) bool {
		out[k.(string)] = v.(*Glossary).Len()
		return true
	})
	return out
}

// Import defines all terms of a word list, stopping at the first conflict.
func Import(lang string, words map[string]string) error {
	g, err := For(lang)
	if err != nil {
		return err
	}
	for term, t := range words {
		if err := g.Define(term, t); err != nil {
			return fmt.Errorf("import %s: %w", lang, err)
		}
	}
	return nil
}
