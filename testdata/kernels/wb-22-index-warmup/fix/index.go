// Package index searches in an index which is loaded in the background.
package index

import (
	"slices"
	"strings"
	"sync"
)

// Parser reads a part of the index: the documents for each term.
type Parser func(file string) (map[string][]string, error)

// Index can be searched as soon as all its parts are there.
type Index struct {
	mu      sync.Mutex
	ready   *sync.Cond
	pending int
	failed  []string
	docs    map[string][]string
}

// Load starts to load all files at once.
func Load(files []string, parse Parser) *Index {
	ix := &Index{pending: len(files), docs: make(map[string][]string)}
	ix.ready = sync.NewCond(&ix.mu)
	for _, f := range files {
		go ix.load(f, parse)
	}
	return ix
}

func (ix *Index) load(file string, parse Parser) {
	part, err := parse(file)

	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err != nil {
		ix.failed = append(ix.failed, file)
	}
	for term, docs := range part {
		term = strings.ToLower(term)
		ix.docs[term] = append(ix.docs[term], docs...)
	}
	if ix.pending--; ix.pending == 0 {
		ix.ready.Broadcast()
	}
}

// Pending returns the number of files that are still being loaded.
func (ix *Index) Pending() int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.pending
}

// Failed returns the files which could not be loaded.
func (ix *Index) Failed() []string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return slices.Clone(ix.failed)
}

// Search returns the documents for a term. It waits until the index is
// complete.
func (ix *Index) Search(term string) []string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for ix.pending > 0 {
		ix.ready.Wait()
	}
	docs := slices.Clone(ix.docs[strings.ToLower(term)])
	slices.Sort(docs)
	return slices.Compact(docs)
}
