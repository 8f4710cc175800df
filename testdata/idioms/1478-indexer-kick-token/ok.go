// Package indexer keeps a full text index up to date in the background.
package indexer

import (
	"context"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Documents is the source of the texts.
type Documents interface {
	Text(ctx context.Context, id string) (string, error)
}

// changes is the set of documents to be indexed again.
type changes struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

func (c *changes) add(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		c.ids = make(map[string]struct{})
	}
	c.ids[id] = struct{}{}
}

// takeAll empties the set.
func (c *changes) takeAll() map[string]struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.ids
	c.ids = nil
	return out
}

// Index maps words to documents.
type Index struct {
	docs    Documents
	changed changes
	kick    chan struct{} // holds one token

	mu    sync.RWMutex
	words map[string]map[string]struct{}
	terms map[string][]string
}

// Start launches the indexing goroutine.
func Start(ctx context.Context, docs Documents) *Index {
	x := &Index{
		docs:  docs,
		kick:  make(chan struct{}, 1),
		words: make(map[string]map[string]struct{}),
		terms: make(map[string][]string),
	}
	go x.run(ctx)
	return x
}

// Changed is called by the writers after a document was saved.
func (x *Index) Changed(id string) {
	x.changed.add(id)
	select {
	case x.kick <- struct{}{}:
	default: // a token is waiting already
	}
}

func (x *Index) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.kick:
		}
		for id := range x.changed.takeAll() {
			text, err := x.docs.Text(ctx, id)
			if err != nil {
				log.Printf("indexer: %s: %v", id, err)
				time.AfterFunc(time.Second, func() { x.Changed(id) })
				continue
			}
			x.replace(id, strings.Fields(strings.ToLower(text)))
		}
	}
}

// replace swaps the words of a document.
func (x *Index) replace(id string, words []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range x.terms[id] {
		delete(x.words[w], id)
	}
	x.terms[id] = words
	for _, w := range words {
		if x.words[w] == nil {
			x.words[w] = make(map[string]struct{})
		}
		x.words[w][id] = struct{}{}
	}
}

// Search returns the documents with the word.
func (x *Index) Search(word string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	for id := range x.words[strings.ToLower(word)] {
		out = append(out, id)
	}
	return out
}

// ServeHTTP handles GET /search?q=.
func (x *Index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, id := range x.Search(r.FormValue("q")) {
		_, _ = w.Write([]byte(id + "\n"))
	}
}
