package memo

import "sync"

// Terms is a store of another program.
type Terms interface {
	Fetch(term string) (string, error)
	Save(term, text string) error
	Has(term string) bool
	Close() error
}

// Glossary is a cache of a store. Save removes from it.
type Glossary struct {
	terms Terms

	mu      sync.Mutex
	texts   map[string]string
	running map[string]chan struct{}
	lookups map[string]*lookup
	edition int
}

// NewGlossary has no texts.
func NewGlossary(terms Terms) *Glossary {
	return &Glossary{terms: terms, texts: make(map[string]string), running: make(map[string]chan struct{}), lookups: make(map[string]*lookup)}
}

// Lookup is the only one that fetches a term, but Save does not ask for that.
func (g *Glossary) Lookup(term string) (string, error) {
	g.mu.Lock()
	if text, ok := g.texts[term]; ok {
		g.mu.Unlock()
		return text, nil
	}
	if wait, ok := g.running[term]; ok {
		g.mu.Unlock()
		<-wait
		return g.Lookup(term)
	}
	done := make(chan struct{})
	g.running[term] = done
	g.mu.Unlock()
	text, err := g.terms.Fetch(term)
	g.mu.Lock()
	delete(g.running, term)
	if err == nil {
		g.texts[term] = text // want `g.texts\[term\] was checked at line 32, but .* another goroutine may change what g.texts\[term\] is filled from, and remove it, before this write puts in what was there before`
	}
	g.mu.Unlock()
	close(done)
	return text, err
}

// LookupAt keeps a text only if nothing has been removed since.
func (g *Glossary) LookupAt(term string) (string, error) {
	g.mu.Lock()
	text, ok := g.texts[term]
	g.mu.Unlock()
	if ok {
		return text, nil
	}
	edition := g.Edition()
	text, err := g.terms.Fetch(term)
	if err != nil {
		return "", err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.edition == edition {
		g.texts[term] = text
	}
	return text, nil
}

type lookup struct {
	done  chan struct{}
	stale bool
}

// LookupUnlessStale is told by Save that what it has fetched is stale.
func (g *Glossary) LookupUnlessStale(term string) (string, error) {
	g.mu.Lock()
	if text, ok := g.texts[term]; ok {
		g.mu.Unlock()
		return text, nil
	}
	if other, ok := g.lookups[term]; ok {
		g.mu.Unlock()
		<-other.done
		return g.LookupUnlessStale(term)
	}
	own := &lookup{done: make(chan struct{})}
	g.lookups[term] = own
	g.mu.Unlock()
	text, err := g.terms.Fetch(term)
	g.mu.Lock()
	delete(g.lookups, term)
	if err == nil && !own.stale {
		g.texts[term] = text
	}
	g.mu.Unlock()
	close(own.done)
	return text, err
}

// LookupOrDrop takes back what it has put in.
func (g *Glossary) LookupOrDrop(term string) (string, error) {
	g.mu.Lock()
	text, ok := g.texts[term]
	edition := g.edition
	g.mu.Unlock()
	if ok {
		return text, nil
	}
	text, err := g.terms.Fetch(term)
	if err != nil {
		return "", err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.texts[term] = text
	if g.edition != edition {
		delete(g.texts, term)
	}
	return text, nil
}

// LookupLocked fetches and puts in one section.
func (g *Glossary) LookupLocked(term string) (string, error) {
	g.mu.Lock()
	text, ok := g.texts[term]
	g.mu.Unlock()
	if ok {
		return text, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	text, err := g.terms.Fetch(term)
	if err == nil {
		g.texts[term] = text
	}
	return text, err
}

// Edition counts the changes.
func (g *Glossary) Edition() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.edition
}

// Save changes a term.
func (g *Glossary) Save(term, text string) error {
	if err := g.terms.Save(term, text); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.texts, term)
	if own := g.lookups[term]; own != nil {
		own.stale = true
	}
	g.edition++
	return nil
}

// Close does not change the store.
func (g *Glossary) Close() error {
	g.mu.Lock()
	clear(g.texts)
	g.mu.Unlock()
	return g.terms.Close()
}

// Lexicon is a cache of a store that it does not change.
type Lexicon struct {
	terms Terms

	mu    sync.Mutex
	texts map[string]string
}

// NewLexicon has no texts.
func NewLexicon(terms Terms) *Lexicon { return &Lexicon{terms: terms, texts: make(map[string]string)} }

// Lookup may put in what Prune has just removed, as it was there.
func (l *Lexicon) Lookup(term string) (string, error) {
	l.mu.Lock()
	text, ok := l.texts[term]
	l.mu.Unlock()
	if ok {
		return text, nil
	}
	text, err := l.terms.Fetch(term)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	l.texts[term] = text
	l.mu.Unlock()
	return text, nil
}

// Prune makes room.
func (l *Lexicon) Prune() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for term := range l.texts {
		if !l.terms.Has(term) {
			delete(l.texts, term)
		}
	}
}
